"""Models and programs as judges of a campaign: asked twice, stored apart from people, believed as far as they agree with people."""

from newsdesk.campaigns.judges.asking import JudgeRun, ask_judge, open_sheets
from newsdesk.campaigns.judges.command import CommandJudge
from newsdesk.campaigns.judges.model import ModelJudge, judge_named
from newsdesk.campaigns.judges.result import JudgeResult, judge_result

__all__ = [
    "CommandJudge",
    "JudgeResult",
    "JudgeRun",
    "ModelJudge",
    "ask_judge",
    "judge_named",
    "judge_result",
    "open_sheets",
]
