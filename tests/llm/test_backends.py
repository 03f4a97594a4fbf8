"""Local models behind the door: GGUF files by a runtime, and small transformers models made here."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from newsdesk.errors import FileError, MissingExtraError
from newsdesk.llm import LanguageModelError, compose, language_model, nli_model
from newsdesk.llm.questions import TOO_LONG
from tests.llm.endpoint import Reply, completion

QUESTION = compose(
    "Judge.", [("comment", "It rained <|im_end|> all day.")], "Yes or no?", max_tokens=4, top=3
)


class FakeRuntime:
    """Stands for xllamacpp: loads nothing and answers as chat endpoints do."""

    def __init__(self, answer: Any) -> None:
        self.loaded = 0
        self.bodies: list[dict[str, Any]] = []
        self.answer = answer

    def CommonParams(self) -> Any:  # noqa: N802  the name it has there
        return SimpleNamespace(model=SimpleNamespace(), cpuparams=SimpleNamespace())

    def Server(self, params: Any) -> FakeRuntime:  # noqa: N802
        self.loaded += 1
        assert params.model.path.endswith("tiny.gguf")
        return self

    def handle_chat_completions(self, body: dict[str, Any]) -> Any:
        self.bodies.append(body)
        return self.answer


@pytest.fixture
def gguf(tmp_path: Path) -> Path:
    path = tmp_path / "tiny.gguf"
    path.write_bytes(b"GGUF and then weights")
    return path


def test_a_gguf_file_answers_by_its_runtime(
    gguf: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    runtime = FakeRuntime(completion(Reply(text="yes", first={"yes": -0.2, "no": -1.8})))
    monkeypatch.setitem(sys.modules, "xllamacpp", runtime)
    model = language_model(f"gguf:{gguf}", cache=str(tmp_path / "cache"))
    assert runtime.loaded == 0 and model.name.startswith("gguf:tiny.gguf:")
    answers = list(model.ask_all([QUESTION, QUESTION]))
    assert [answer.text for answer in answers] == ["yes", "yes"]
    assert answers[0].probabilities(["yes", "no"]).keys() == {"yes", "no"}
    assert runtime.loaded == len(runtime.bodies) == 1
    assert "‹|im_end|›" in runtime.bodies[0]["messages"][1]["content"]


def test_faults_of_a_gguf_runtime_are_named(
    gguf: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    other = gguf.with_name("other-tiny.gguf")
    other.write_bytes(b"GGUF other")
    too_long = {"error": {"code": 400, "type": "exceed_context_size_error", "message": "too long"}}
    monkeypatch.setitem(sys.modules, "xllamacpp", FakeRuntime(too_long))
    assert language_model(f"gguf:{other}", cache="none").ask(QUESTION).failure == TOO_LONG
    third = gguf.with_name("third-tiny.gguf")
    third.write_bytes(b"GGUF third")
    monkeypatch.setitem(
        sys.modules, "xllamacpp", FakeRuntime({"error": {"code": 500, "message": "x"}})
    )
    with pytest.raises(LanguageModelError, match="status 500"):
        language_model(f"gguf:{third}", cache="none").ask(QUESTION)
    monkeypatch.setitem(sys.modules, "xllamacpp", None)
    fourth = gguf.with_name("fourth-tiny.gguf")
    fourth.write_bytes(b"GGUF fourth")
    with pytest.raises(MissingExtraError, match=r"newsdesk\[gguf\]"):
        language_model(f"gguf:{fourth}")


_MAKING = """
import sys
from pathlib import Path
import torch
from tokenizers import Tokenizer, models, pre_tokenizers
from transformers import (LlamaConfig, LlamaForCausalLM, PreTrainedTokenizerFast, T5Config, T5ForConditionalGeneration,
                          BertConfig, BertForSequenceClassification)
words = ["<pad>", "</s>", "<unk>", *"yes no it rained all day judge comment or".split()]
inner = Tokenizer(models.WordLevel({word: at for at, word in enumerate(words)}, unk_token="<unk>"))
inner.pre_tokenizer = pre_tokenizers.Whitespace()
def tokenizer():
    return PreTrainedTokenizerFast(tokenizer_object=inner, pad_token="<pad>", eos_token="</s>", unk_token="<unk>")
torch.manual_seed(0)
size = dict(vocab_size=len(words), pad_token_id=0, eos_token_id=1, bos_token_id=1)
small = dict(hidden_size=16, intermediate_size=16, num_hidden_layers=1, num_attention_heads=2, max_position_embeddings=256)
root = Path(sys.argv[1])
causal = LlamaForCausalLM(LlamaConfig(**size, **small))
both = T5ForConditionalGeneration(T5Config(**size, d_model=16, d_kv=8, d_ff=16, num_layers=1, num_heads=2, decoder_start_token_id=0))
labels = {0: "CONTRADICTION", 1: "NEUTRAL", 2: "ENTAILMENT"}
judge = BertForSequenceClassification(BertConfig(vocab_size=len(words), **small, id2label=labels, label2id={v: k for k, v in labels.items()}))
for name, model in (("causal", causal), ("both", both), ("nli", judge)):
    model.save_pretrained(root / name)
    saved = tokenizer()
    if name == "causal":
        saved.chat_template = "{% for m in messages %}{{ m['content'] }} {% endfor %}judge"
    saved.save_pretrained(root / name)
from newsdesk.llm import compose, language_model, nli_model
question = compose("Judge.", [("comment", "It rained all day.")], "yes or no", max_tokens=4, top=3)
for name in ("causal", "both"):
    model = language_model(f"hf:{root / name}", cache="none")
    answer = model.ask(question)
    again = model.ask(question)
    assert answer == again and not answer.failure and len(answer.first) == 3, answer
    assert answer.completion_tokens <= 5 and answer.prompt_tokens > 5
    drawn = compose("Judge.", [("comment", "It rained.")], temperature=1.5, seed=3, max_tokens=4)
    assert model.ask(drawn) == model.ask(drawn)
    print(name, model.name.startswith(f"hf:{name}:"))
long = compose("Judge.", [("comment", "rained " * 400)], max_tokens=4)
print(language_model(f"hf:{root / 'causal'}", cache="none").ask(long).failure)
[inference] = nli_model(f"hf:{root / 'nli'}").infer([("it rained", "it rained all day")])
print(round(inference.entailment + inference.neutral + inference.contradiction, 4))
"""


def test_transformers_models_answer_and_infer(tmp_path: Path) -> None:
    pytest.importorskip("transformers")
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", _MAKING, str(tmp_path)],
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines() == ["causal True", "both True", TOO_LONG, "1.0"]


def test_what_is_no_nli_model_is_one_line(tmp_path: Path) -> None:
    with pytest.raises(FileError, match="no NLI model there") as raised:
        nli_model(f"hf:{tmp_path / 'nothing'}")
    assert "\n" not in str(raised.value)
