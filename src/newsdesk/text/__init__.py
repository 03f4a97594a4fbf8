"""Text processing shared by every part: languages, sentences, words, numbers, n-grams and vectors."""

from newsdesk.text.encode import Analyzer, Encoded, EncodedUnits, encode
from newsdesk.text.encoders import Encoder, sentence_encoder
from newsdesk.text.language import language
from newsdesk.text.normalize import Normalizer
from newsdesk.text.ragged import Vocabulary
from newsdesk.text.sentences import sentences
from newsdesk.text.tokenize import Tokenizer, tokenizer, tokenizer_for

__all__ = [
    "Analyzer",
    "Encoded",
    "EncodedUnits",
    "Encoder",
    "Normalizer",
    "Tokenizer",
    "Vocabulary",
    "encode",
    "language",
    "sentence_encoder",
    "sentences",
    "tokenizer",
    "tokenizer_for",
]
