from __future__ import annotations

from demo.client import messages as wire
from demo.client.notation import card, cards
from demo.client.transcript import Transcript
from demo.client.vocabulary import Reason
from tests.demo.sample_messages import deal, ended, invalid, valid


def transcript_of(*messages: wire.Message) -> list[str]:
    lines: list[str] = []
    transcript = Transcript(lines.append, colored=False)
    for message in messages:
        transcript.write(message)
    return [line.split(" s  ", 1)[1].strip() for line in lines]


def test_every_card_has_a_unique_name() -> None:
    assert len({card(number) for number in range(81)}) == 81


def test_cards_are_written_by_count_color_shading_shape() -> None:
    assert cards([0, 40, 80]) == "1R#◇ 2G=~ 3P·O"


def test_colors_are_optional() -> None:
    assert card(0, colored=True) == "\x1b[31m1R#◇\x1b[0m"


def test_deal_shows_the_players_and_three_rows() -> None:
    lines = transcript_of(deal())
    assert lines[0] == "deal     alice against bob, 69 cards to come"
    assert len(lines) == 4


def test_claims_valid_invalid_stale_and_the_end() -> None:
    stale = invalid(reason=Reason.STALE, message="Cards no longer on the board")
    lines = transcript_of(deal(), valid(), invalid(), stale, ended())[4:]
    assert lines[0] == "alice    1R#◇ 1R=◇ 1R·◇  Set!  alice 1, bob 0  new 1G#~ 1G=~ 1G·~"
    assert lines[1] == "alice    1R#◇ 1R=◇ 1G#◇  no Set: Color is mixed"
    assert lines[2] == "alice    1R#◇ 1R=◇ 1G#◇  too late: Cards no longer on the board"
    assert lines[3] == "end      time up after 1.0 s of match time"
    assert lines[4] == "1. alice: 1 Sets, 0 mistakes, score 1"


def test_messages_without_an_event_are_not_printed() -> None:
    assert transcript_of(wire.HintResult(card_ids=[])) == []
