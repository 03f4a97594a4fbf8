"""Models small enough to be made on the spot, of 16 dimensions and the sample's own words: a BART and a BERT of twelve layers."""

from __future__ import annotations

from pathlib import Path

from newsdesk import samples


def save_tiny_bert(folder: Path) -> Path:
    """Make an untrained BERT of twelve layers, the paper's depth, and save it."""
    import torch
    import transformers

    words = {word for each in samples.clusters() for word in (each.summary or "").lower().split()}
    folder.mkdir(parents=True)
    lines = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", *sorted(words)]
    (folder / "vocab.txt").write_text("\n".join(lines), "utf-8")
    transformers.BertTokenizerFast(vocab_file=str(folder / "vocab.txt")).save_pretrained(folder)
    torch.manual_seed(0)
    config = transformers.BertConfig(
        vocab_size=len(lines),
        hidden_size=16,
        num_hidden_layers=12,
        num_attention_heads=2,
        intermediate_size=32,
    )
    transformers.BertModel(config).save_pretrained(folder)
    return folder


def save_tiny_model(folder: Path) -> Path:
    """Make an untrained BART with a tokenizer of words and save both."""
    import tokenizers
    import torch
    import transformers

    words = {word for each in samples.clusters() for word in (each.summary or "").lower().split()}
    special = ["<pad>", "<s>", "</s>", "<unk>"]
    vocabulary = {word: number for number, word in enumerate([*special, *sorted(words)])}
    inner = tokenizers.Tokenizer(tokenizers.models.WordLevel(vocabulary, unk_token="<unk>"))
    inner.normalizer = tokenizers.normalizers.Lowercase()
    inner.pre_tokenizer = tokenizers.pre_tokenizers.WhitespaceSplit()
    inner.post_processor = tokenizers.processors.TemplateProcessing(
        single="<s> $A </s>", special_tokens=[("<s>", 1), ("</s>", 2)]
    )
    transformers.PreTrainedTokenizerFast(
        tokenizer_object=inner,
        pad_token="<pad>",
        bos_token="<s>",
        eos_token="</s>",
        unk_token="<unk>",
        model_max_length=128,
    ).save_pretrained(folder)
    torch.manual_seed(0)
    config = transformers.BartConfig(
        vocab_size=len(vocabulary),
        d_model=16,
        encoder_layers=1,
        decoder_layers=1,
        encoder_attention_heads=2,
        decoder_attention_heads=2,
        encoder_ffn_dim=32,
        decoder_ffn_dim=32,
        max_position_embeddings=160,
        init_std=0.5,
        pad_token_id=0,
        bos_token_id=1,
        eos_token_id=2,
        decoder_start_token_id=2,
        forced_eos_token_id=2,
    )
    transformers.BartForConditionalGeneration(config).save_pretrained(folder)
    return folder
