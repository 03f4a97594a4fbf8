"""Installed without extras everything imports, and what needs one says which pip command to type."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

OPTIONAL = (
    *("rjieba", "fugashi", "ipadic", "polars", "wordllama", "torch", "transformers"),
    *("onnxruntime", "xllamacpp"),
    *("sqlalchemy", "psycopg", "openpyxl", "matplotlib", "selectolax", "mwparserfromhell"),
    *("lxml", "trafilatura", "htmldate", "fastwarc", "rensa", "httpx2", "distributed", "fsspec"),
)

_WITHOUT = """
import sys
class Block:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in {blocked!r}:
            raise ModuleNotFoundError(f"No module named {{name!r}}", name=name)
sys.meta_path.insert(0, Block())
import newsdesk as nd
try:
    {code}
    print("fine")
except nd.MissingExtraError as error:
    print(error)
"""


def _run_without_extras(code: str) -> str:
    done = subprocess.run(
        [sys.executable, "-c", _WITHOUT.format(blocked=OPTIONAL, code=code)],
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


@pytest.mark.parametrize(
    ("code", "extra"),
    [
        ("nd.tokenizer('zh').words('我爱北京')", "zh"),
        ("nd.tokenizer('ja').words('東京')", "ja"),
        ("nd.sentence_encoder('wordllama')", "vectors"),
        ("nd.sentence_encoder('hf:somewhere')", "hf"),
        ("nd.sentence_encoder('onnx:somewhere')", "onnx"),
        ("nd.metric('soft-recall').score('a', ['b'], lang='en')", "vectors"),
        ("from newsdesk import samples; nd.ranker('ranknet').fit(samples.threads())", "neural"),
        ("list(nd.read('x.parquet', nd.Article))", "corpus"),
        ("nd.extract('<html><body><p>Some text.</p></body></html>')", "corpus"),
        (
            "from newsdesk.corpus.portal.collect import parse_page; parse_page('<li>x', name='x')",
            "corpus",
        ),
        (
            "from newsdesk.corpus.portal.collect import parse_page; parse_page('* x', name='x')",
            "corpus",
        ),
        (
            "from newsdesk.network import Client; Client(agent='x', timeout_s=1, max_bytes=1)",
            "corpus",
        ),
        (
            "from newsdesk.llm import language_model; language_model('openai:http://127.0.0.1:1/v1#m')",
            "llm",
        ),
        ("nd.summarizer('submodular+abs', model='hf:x').summarize(nd.Cluster('c', ()))", "hf"),
        (
            "nd.summarizer('tsr').fit([nd.Cluster('c', (nd.ClusterArticle('a', 'x ' * 9),), summary='x')])",
            "vectors",
        ),
        ("nd.Store.open('sqlite:///x.db')", "campaigns"),
        ("list(nd.read('s3://bucket/x.jsonl', nd.Article))", "cluster"),
        (
            "from newsdesk.work import WorkTask, run_tasks; run_tasks([WorkTask('x', 'x:y', {})], engine='dask://127.0.0.1:1')",
            "cluster",
        ),
        (
            "from newsdesk.campaigns.sheets import read_workbook; read_workbook('x.xlsx')",
            "campaigns",
        ),
        (
            "from newsdesk.results.plots import intervals; intervals([('a', 1, 0, 2)], 'x')",
            "report",
        ),
    ],
)
def test_a_missing_extra_is_one_sentence_with_the_command(code: str, extra: str) -> None:
    said = _run_without_extras(code)
    assert said.endswith(f"type: pip install 'newsdesk[{extra}]'")
    assert "\n" not in said


@pytest.mark.parametrize(
    "code",
    [
        "nd.tokenizer('en').words('It ended.')",
        "nd.sentences('It ended. It began.')",
        "from newsdesk import samples; nd.ranker('argument').fit(samples.threads()[:3])",
        "nd.encode(['a'], [['b']])",
        "nd.sentence_encoder('lsa').fit(['a b', 'a c', 'b c'])",
        "nd.sentence_encoder; nd.read; nd.write",
        "nd.protocol('rank'); [getattr(nd.campaigns, name) for name in dir(nd.campaigns) if name != 'Store']",
        "from newsdesk import samples; nd.summarizer('bertreg', encoder='lsa').fit(samples.clusters()[:2])",
    ],
)
def test_the_core_works_without_extras(code: str) -> None:
    assert _run_without_extras(code) == "fine"


def test_results_do_not_depend_on_the_hash_seed() -> None:
    code = (
        "import newsdesk as nd, hashlib, sys\n"
        "texts = [f'the {w} sat on a {v}' for w in 'cat dog hen cow'.split() for v in 'mat hat bed'.split()]\n"
        "v = nd.sentence_encoder('lsa(dimensions=3)').fit(texts).encode(texts)\n"
        "e = nd.encode(texts, [[t, 'x ' + t] for t in texts])\n"
        "from newsdesk.text import Analyzer\n"
        "u = e.units(Analyzer(stem='porter'))\n"
        "nd.write('-', [nd.Article(str(i), t) for i, t in enumerate(texts)])\n"
        "print(nd.Vocabulary.build([t.split() for t in texts]).words, v.round(5).tolist(), u.words, u.references.ids.tolist())\n"
    )
    printed = set()
    for seed in ("1", "2"):
        done = subprocess.run(
            [sys.executable, "-c", code],
            capture_output=True,
            env={**os.environ, "PYTHONHASHSEED": seed},
            check=True,
        )
        printed.add(done.stdout)
    assert len(printed) == 1
