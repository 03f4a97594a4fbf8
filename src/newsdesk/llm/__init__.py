"""One door to language models: endpoints and local files with a cache, ceilings, retries, and texts that stay data."""

from newsdesk.llm.budget import Ceilings, Usage, estimated_tokens
from newsdesk.llm.door import (
    LanguageModel,
    counted_only,
    is_counting,
    is_language_model,
    language_model,
)
from newsdesk.llm.nli import Inference, NliModel, nli_model
from newsdesk.llm.prompts import DATA_RULE, answer_text, compose, data_block, json_in, prompt_id
from newsdesk.llm.questions import Completion, LanguageModelError, Prompt
from newsdesk.llm.settings import ModelSettings, without_running

__all__ = [
    "DATA_RULE",
    "Ceilings",
    "Completion",
    "Inference",
    "LanguageModel",
    "LanguageModelError",
    "ModelSettings",
    "NliModel",
    "Prompt",
    "Usage",
    "answer_text",
    "compose",
    "counted_only",
    "data_block",
    "estimated_tokens",
    "is_counting",
    "is_language_model",
    "json_in",
    "language_model",
    "nli_model",
    "prompt_id",
    "without_running",
]
