"""Every sentence that the game says, in every language that it speaks.

`MESSAGES` is data: the web page takes its words from the same table. A message that counts something has two forms,
for one and for more, and takes the count as ``n``. What the rules say against a move is written in English where the
rules are; `SENTENCES` has its translations.
"""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from functools import cache
from string import Formatter
from typing import Any, Final, TypeAlias

from rich.text import Text

LANGUAGES: Final = ("en", "ko")

Forms: TypeAlias = str | tuple[str, str]
"""A sentence, or its two forms for one and for more."""

MESSAGES: Final[dict[str, dict[str, Forms]]] = {
    # Who sits where.
    "you": {"en": "You", "ko": "나"},
    "west": {"en": "West", "ko": "서쪽"},
    "north": {"en": "North", "ko": "북쪽"},
    "east": {"en": "East", "ko": "동쪽"},
    "player": {"en": "Player {number}", "ko": "{number}번"},
    "seat": {"en": "Seat {number}", "ko": "자리 {number}"},
    "bot_random": {"en": "random", "ko": "무작위"},
    "bot_easy": {"en": "easy", "ko": "쉬움"},
    "bot_normal": {"en": "normal", "ko": "보통"},
    "bot_hard": {"en": "hard", "ko": "어려움"},
    "bot_expert": {"en": "expert", "ko": "전문가"},
    "bot_trained": {"en": "trained", "ko": "학습된 정책"},
    "bot_simple": {"en": "simple", "ko": "단순"},
    # The game and its parts.
    "ruleset_straight": {"en": "Straight rummy", "ko": "스트레이트 러미"},
    "ruleset_rami": {"en": "Rami", "ko": "라미 (조커 러미)"},
    "ruleset_indian": {"en": "Indian rummy", "ko": "인디언 러미"},
    "ruleset_gin": {"en": "Gin rummy", "ko": "진 러미"},
    "title_opening": {"en": "The opening needs {points}.", "ko": "오픈 기준: {points}"},
    "title_one_round": {"en": "{ruleset}, {players} players, one round", "ko": "{ruleset}, {players}명, 한 판"},
    "title": {"en": "{ruleset}, {players} players, to {target} points", "ko": "{ruleset}, {players}명, {target}점까지"},
    "round": {"en": "Round {number}", "ko": "{number}라운드"},
    "round_of": {"en": "Round {number} of {rounds}", "ko": "{number}라운드 / {rounds}"},
    "stock": {"en": "Stock", "ko": "더미"},
    "pile": {"en": "Pile", "ko": "버린 더미"},
    "table": {"en": "Table", "ko": "탁자"},
    "wild": {"en": "Cut card", "ko": "와일드 카드"},
    "hand_deadwood": {"en": "Your hand, deadwood {points}", "ko": "내 손패, 데드우드 {points}"},
    "hand": {"en": "Your hand, {points} points", "ko": "내 손패, {points}점"},
    "cards": {"en": ("{n} card", "{n} cards"), "ko": ("{n}장", "{n}장")},
    "points": {"en": ("{n} point", "{n} points"), "ko": ("{n}점", "{n}점")},
    "refills_left": {"en": ("{n} refill left", "{n} refills left"), "ko": ("재구성 {n}번 남음", "재구성 {n}번 남음")},
    "opened": {"en": "opened", "ko": "오픈함"},
    "not_opened": {"en": "not opened", "ko": "오픈 전"},
    "in_the_making": {"en": "opening", "ko": "오픈 중"},
    "total": {"en": "total {points}", "ko": "합계 {points}점"},
    "took": {"en": "took {cards}", "ko": "가져간 카드 {cards}"},
    "no_melds": {"en": "no melds yet", "ko": "멜드 없음"},
    "no_cards": {"en": "no cards", "ko": "카드 없음"},
    "marks_meld": {"en": "= forms a meld", "ko": "= 멜드가 되는 카드"},
    "marks_laid": {"en": "= lies in a meld", "ko": "= 멜드에 든 카드"},
    "marks_joker": {"en": "=Jk forms a meld with a joker", "ko": "=Jk 조커와 멜드가 되는 카드"},
    "marks_layoff": {"en": "+N can be laid off onto meld N", "ko": "+N 멜드 N에 붙일 수 있는 카드"},
    # The opening and the duties of a turn.
    "meter": {"en": "Opening meter: {points} of {needed} points.", "ko": "오픈 미터: {points}점 / 기준 {needed}점."},
    "meter_exempt": {
        "en": "Below the threshold, but the opening leaves you at most one card: that is allowed.",
        "ko": "기준보다 적지만 오픈 뒤 손패가 1장 이하로 남아 기준이 면제됩니다.",
    },
    "meter_with": {
        "en": "If you take {card}, you can open with {points}.",
        "ko": "{card}: 가져오면 {points}으로 오픈할 수 있습니다.",
    },
    "so_far": {
        "en": "Your opening so far: {points} of {needed} points.",
        "ko": "지금까지 내놓은 오픈: {points}점 / 기준 {needed}점.",
    },
    "so_far_enough": {
        "en": "It is enough: confirm lays it down, or put more to it.",
        "ko": "오픈할 수 있습니다. 확정하거나 더 붙이세요.",
    },
    "so_far_more": {"en": "Put more to it, then confirm.", "ko": "더 내놓은 뒤 확정하세요."},
    "duty_taken": {
        "en": "{card}, taken from the pile, has to go down before you discard.",
        "ko": "{card}: 버린 더미에서 가져왔으니 버리기 전에 내려놓아야 합니다.",
    },
    "duty_opening": {
        "en": "{card}, taken from the pile, has to be in your opening.",
        "ko": "{card}: 버린 더미에서 가져왔으니 오픈에 넣어야 합니다.",
    },
    "duty_untake": {"en": "Or give it back: untake.", "ko": "아니면 되돌릴 수 있습니다 (되돌리기)."},
    "duty_freed": {
        "en": (
            "{n} freed joker has to go down again in this turn.",
            "{n} freed jokers have to go down again in this turn.",
        ),
        "ko": (
            "빼낸 조커 {n}장을 이번 차례에 다시 내려놓아야 합니다.",
            "빼낸 조커 {n}장을 이번 차례에 다시 내려놓아야 합니다.",
        ),
    },
    # Moves, as they are offered. In English they are the words of the rule book, which can be typed.
    "move_draw": {"en": "draw", "ko": "더미에서 뽑기"},
    "move_take": {"en": "take {card}", "ko": "가져오기 {card}"},
    "move_meld": {"en": "meld {cards}", "ko": "내려놓기 {cards}"},
    "move_layoff": {"en": "layoff {card} {meld}", "ko": "붙이기 {card} {meld}"},
    "move_pass": {"en": "pass", "ko": "패스"},
    "move_pack": {"en": "pack", "ko": "포기"},
    "move_knock": {"en": "knock {card}", "ko": "노크 {card}"},
    "move_declare": {"en": "declare {card}", "ko": "선언 {card}"},
    "move_untake": {"en": "untake {card}", "ko": "되돌리기 {card}"},
    "move_open": {"en": "open {melds} ({points})", "ko": "오픈 {melds} ({points})"},
    "move_swap": {"en": "swap {card} {meld}", "ko": "조커빼기 {card} {meld}"},
    "move_piece": {"en": "piece {cards}", "ko": "조각 {cards}"},
    "move_lengthen": {"en": "lengthen {card} {meld}", "ko": "늘리기 {card} {meld}"},
    "move_confirm": {"en": "confirm ({points})", "ko": "확정 ({points})"},
    "move_discard": {"en": "discard {card}", "ko": "버리기 {card}"},
    # Moves of others, as they are told.
    "told": {"en": "{name} {moves}.", "ko": "{name}: {moves}"},
    "told_draw": {"en": "draws", "ko": "더미에서 뽑음"},
    "told_draw_card": {"en": "draws {card}", "ko": "더미에서 {card} 뽑음"},
    "told_take": {"en": "takes {card}", "ko": "버린 더미에서 {card} 가져옴"},
    "told_meld": {"en": "lays {cards}", "ko": "{cards} 내려놓음"},
    "told_layoff": {"en": "lays {card} off onto {cards}", "ko": "{cards} 멜드에 {card} 붙임"},
    "told_pass": {"en": "passes", "ko": "패스"},
    "told_pack": {"en": "packs", "ko": "포기함"},
    "told_knock": {"en": "knocks with {card}", "ko": "{card} 버리고 노크"},
    "told_declare": {"en": "declares with {card}", "ko": "{card} 버리고 선언"},
    "told_untake": {"en": "gives {card} back", "ko": "{card} 되돌림"},
    "told_open": {"en": "opens with {melds} ({points})", "ko": "{melds} 오픈 ({points})"},
    "told_swap": {
        "en": "puts {card} in the place of the joker in {cards} and takes it",
        "ko": "{cards} 멜드에 {card} 넣고 조커를 빼냄",
    },
    "told_piece": {"en": "lays {cards} for an opening", "ko": "오픈하려고 {cards} 내놓음"},
    "told_lengthen": {"en": "adds {card} to {cards}", "ko": "{cards}에 {card} 더함"},
    "told_discard": {"en": "discards {card}", "ko": "{card} 버림"},
    "told_out": {"en": "goes out", "ko": "손패를 다 비움"},
    "told_forfeit": {"en": "breaks the rules", "ko": "규칙을 어김"},
    "told_refill": {
        "en": "The pile was shuffled into a new stock.",
        "ko": "버린 더미를 섞어 새 더미로 놓았습니다.",
    },
    "drew": {"en": "You drew {card}.", "ko": "뽑은 카드: {card}"},
    # The end of a round and of the match.
    "round_won": {"en": "{name}: round won, {points}", "ko": "{name}: 라운드 승리, {points}"},
    "round_gin": {"en": "{name}: gin, {points}", "ko": "{name}: 진, {points}"},
    "round_knock": {"en": "{name}: round won by knocking, {points}", "ko": "{name}: 노크로 승리, {points}"},
    "round_undercut": {"en": "{name}: undercut, {points}", "ko": "{name}: 언더컷, {points}"},
    "round_declare": {"en": "{name}: round won by declaring, {points}", "ko": "{name}: 선언으로 승리, {points}"},
    "round_last": {"en": "{name}: the others have packed, {points}", "ko": "{name}: 모두 포기해서 승리, {points}"},
    "round_rummy": {
        "en": "{name}: round won with rummy, doubled, {points}",
        "ko": "{name}: 러미로 승리, 두 배, {points}",
    },
    "round_hand_rummy": {
        "en": "{name}: round won with hand rummy (opened and out in one turn), doubled, {points}",
        "ko": "{name}: 핸드 러미로 승리 (한 차례에 오픈하고 다 비움), 두 배, {points}",
    },
    "round_blocked": {
        "en": "The round is blocked: no refill is left. {name} has the fewest points and wins {points}",
        "ko": "덱을 더 채울 수 없어 막힌 판입니다. 손패 점수가 가장 적은 {name} 승리, {points}",
    },
    "round_void": {"en": "The round is void: nobody scores.", "ko": "무효 라운드: 아무도 점수를 받지 않습니다."},
    "round_turns_used_up": {
        "en": (
            "The round is void after {n} turn: nobody scores.",
            "The round is void after {n} turns: nobody scores.",
        ),
        "ko": (
            "{n}차례가 지나 무효 라운드: 아무도 점수를 받지 않습니다.",
            "{n}차례가 지나 무효 라운드: 아무도 점수를 받지 않습니다.",
        ),
    },
    "round_unfinished": {
        "en": "The record ends here, the round was not finished.",
        "ko": "기록이 여기서 끝납니다. 끝나지 않은 라운드입니다.",
    },
    "left": {"en": "left: {cards} ({points})", "ko": "남은 카드: {cards} ({points})"},
    "laid_off": {"en": "laid off {cards}", "ko": "붙인 카드 {cards}"},
    "deadwood": {"en": "deadwood {cards} ({points})", "ko": "데드우드 {cards} ({points})"},
    "packed_first": {"en": "packed in the first turn", "ko": "첫 차례에 포기"},
    "packed_later": {"en": "packed", "ko": "포기"},
    "out": {"en": "went out", "ko": "손패를 다 비움"},
    "score_round": {"en": "Round", "ko": "라운드"},
    "score_total": {"en": "Total", "ko": "합계"},
    "score_legend": {
        "en": "+: points won (x{factor}: rummy); others: points left in the hand",
        "ko": "+: 받은 점수 (x{factor}: 러미), 그 밖: 손패에 남은 점수",
    },
    "score_hand_legend": {
        "en": "+: points won (x{factor}: hand rummy, *: blocked); others: points left in the hand",
        "ko": "+: 받은 점수 (x{factor}: 핸드 러미, *: 막힌 판), 그 밖: 손패에 남은 점수",
    },
    "score_deadwood_legend": {
        "en": "+: points won, -: points lost, others: points of deadwood",
        "ko": "+: 받은 점수, -: 잃은 점수, 그 밖: 데드우드 점수",
    },
    "score_none": {"en": "No round is over yet.", "ko": "아직 끝난 라운드가 없습니다."},
    "match_won": {"en": "{name}: match won with {points}.", "ko": "{name}: {points}으로 게임 승리!"},
    "match_tied": {"en": "The match is a tie of {names} with {points}.", "ko": "{names}: {points}으로 공동 승리!"},
    # Prompts.
    "prompt_draw": {"en": "draw or take", "ko": "뽑기"},
    "prompt_upcard": {"en": "take or pass", "ko": "가져오기 또는 패스"},
    "prompt_play": {"en": "your move", "ko": "내 차례"},
    "prompt_next": {"en": "Enter: next round", "ko": "Enter: 다음 라운드"},
    "prompt_end": {"en": "Enter: the end", "ko": "Enter: 끝내기"},
    "prompt_step": {"en": "Enter: next turn", "ko": "Enter: 다음 차례"},
    # Help.
    "help_lists": {"en": "help lists the commands.", "ko": "명령 목록은 '도움말'."},
    "help_number": {"en": "the move with that number", "ko": "그 번호의 수를 둡니다"},
    "help_draw": {"en": "draw from the stock (d)", "ko": "더미에서 뽑습니다 (뽑기, d)"},
    "help_take": {"en": "take the top of the pile (t)", "ko": "버린 더미 맨 위를 가져옵니다 (가져오기, t)"},
    "help_pass": {"en": "refuse the first upcard", "ko": "첫 카드를 받지 않습니다 (패스)"},
    "help_pack": {"en": "drop out of the round, before drawing", "ko": "뽑기 전에 이번 라운드를 포기합니다 (포기)"},
    "help_knock": {
        "en": "discard and show the hand, with little deadwood (k)",
        "ko": "데드우드가 적을 때 버리고 손패를 보입니다 (노크, k)",
    },
    "help_declare": {
        "en": "discard and show the hand, all of it in melds (v)",
        "ko": "모두 멜드일 때 버리고 손패를 보입니다 (선언, v)",
    },
    "help_meld": {
        "en": "put a set or run down (m, or just the cards)",
        "ko": "세트나 런을 내려놓습니다 (내려놓기, m, 또는 카드만)",
    },
    "help_layoff": {
        "en": "add a card to table meld N (l, or 7d 0)",
        "ko": "탁자 멜드 N에 붙입니다 (붙이기, l, 또는 7d 0)",
    },
    "help_untake": {
        "en": "give the taken card back, then draw (u)",
        "ko": "가져온 카드를 되돌리고 뽑습니다 (되돌리기, u)",
    },
    "help_open": {
        "en": "open with these melds (o); without cards: the best opening of your hand",
        "ko": "이 멜드들로 오픈합니다 (오픈, o). 카드 없이: 손패의 가장 높은 오픈",
    },
    "help_swap": {
        "en": "put a card in the place of the joker of table meld N, and take the joker (w)",
        "ko": "멜드 N의 조커 자리에 카드를 넣고 조커를 빼냅니다 (조커빼기, w)",
    },
    "help_piece": {
        "en": "put an opening together meld by meld (p): there is no way back",
        "ko": "오픈을 멜드 하나씩 내놓습니다. 되돌릴 수 없습니다 (조각, p)",
    },
    "help_lengthen": {
        "en": "add a card to meld N of the opening in the making (e)",
        "ko": "내놓는 중인 오픈의 멜드 N을 늘립니다 (늘리기, e)",
    },
    "help_confirm": {"en": "the pieces laid out are the opening (c)", "ko": "내놓은 멜드들로 오픈합니다 (확정, c)"},
    "help_discard": {
        "en": "discard, which ends the turn (x, or just Ks)",
        "ko": "버리고 차례를 넘깁니다 (버리기, x, 또는 Ks)",
    },
    "help_hint": {"en": "what the strongest player would do", "ko": "가장 강한 컴퓨터의 수를 봅니다 (힌트, h)"},
    "help_sort": {
        "en": "sort the hand: by suit, rank or melds first (s)",
        "ko": "손패 정렬: 무늬, 숫자, 멜드 먼저 (정렬, s)",
    },
    "help_score": {"en": "the score sheet", "ko": "점수판을 봅니다 (점수)"},
    "help_show": {"en": "show the table again (or just Enter)", "ko": "탁자를 다시 봅니다 (보기, 또는 Enter)"},
    "help_record": {"en": "write the finished rounds to a file", "ko": "끝난 라운드를 파일로 씁니다 (기록)"},
    "help_quit": {"en": "save the game and leave (q)", "ko": "저장하고 나갑니다 (종료, q)"},
    # Hints.
    "hint": {"en": "{agent} would play: {move}", "ko": "{agent}: {move}"},
    "hint_because": {"en": "{agent} would play: {move} ({reason})", "ko": "{agent}: {move} ({reason})"},
    "reason_goes_out": {"en": "it goes out", "ko": "손패를 다 비웁니다"},
    "reason_only_move": {"en": "it is the only move", "ko": "다른 수가 없습니다"},
    "reason_useless": {
        "en": "{cards} makes no meld and fits none on the table",
        "ko": "{cards}: 멜드도 안 되고 붙일 곳도 없음",
    },
    "reason_no_meld": {"en": "{cards} would lie in no meld", "ko": "{cards}: 멜드가 안 됨"},
    "reason_packs": {
        "en": "to play on is likely to cost more than {points}",
        "ko": "계속하면 {points}보다 더 잃기 쉬움",
    },
    "reason_ends": {"en": "it ends the round with {points} of deadwood", "ko": "데드우드 {points}으로 끝냄"},
    "reason_makes": {"en": "it makes {cards}", "ko": "{cards} 완성"},
    "reason_fits": {"en": "it can be laid off onto {cards}", "ko": "{cards} 멜드에 붙일 수 있음"},
    "reason_rids": {"en": "{points} less in your hand", "ko": "손패에서 {points} 줄어듦"},
    "reason_loose": {"en": "in no meld, and {points} less in your hand", "ko": "멜드가 안 되는 {points}"},
    "reason_opens": {"en": "it opens with {points}", "ko": "{points}으로 오픈"},
    "reason_opens_nothing": {
        "en": "you cannot open with {cards} yet",
        "ko": "아직 {cards} 카드로 오픈할 수 없음",
    },
    "reason_frees": {"en": "it frees a joker", "ko": "조커를 빼냅니다"},
    # Orders of the hand.
    "sorted_suit": {"en": "The hand is sorted by suit.", "ko": "손패를 무늬순으로 정렬했습니다."},
    "sorted_rank": {"en": "The hand is sorted by rank.", "ko": "손패를 숫자순으로 정렬했습니다."},
    "sorted_melds": {"en": "The hand is sorted melds first.", "ko": "손패를 멜드 먼저 정렬했습니다."},
    # Files, and what cannot be done.
    "stands_in": {
        "en": "No trained policy plays here, the rule-based hard does: {reason}",
        "ko": "학습된 정책 대신 규칙 기반 '어려움'이 둡니다: {reason}",
    },
    "saved": {"en": "The game is saved. Go on with:", "ko": "게임을 저장했습니다. 이어서 하려면:"},
    "recorded": {"en": "The record is in {file}. See it with:", "ko": "기록 파일: {file}. 다시 보려면:"},
    "nothing_to_record": {
        "en": "expected a finished round to record, got none yet",
        "ko": "아직 기록할 끝난 라운드가 없습니다",
    },
    "file_there": {"en": "expected a new file, got '{file}', which exists", "ko": "이미 있는 파일입니다: '{file}'"},
    "not_written": {
        "en": "expected a file to write, got '{file}': {reason}",
        "ko": "파일을 쓸 수 없습니다: '{file}' ({reason})",
    },
    "not_now": {"en": "expected a command or Enter, got '{line}'", "ko": "지금은 명령이나 Enter만 됩니다: '{line}'"},
    "no_such_number": {
        "en": "expected a number from 1 to {last}, got {number}",
        "ko": "1부터 {last}까지의 번호가 필요합니다: {number}",
    },
    "no_such_order": {
        "en": "expected sort suit, sort rank or sort melds, got '{order}'",
        "ko": "정렬은 suit(무늬), rank(숫자), melds(멜드) 가운데 하나입니다: '{order}'",
    },
    "not_after": {
        "en": "expected nothing after '{command}', got '{rest}'",
        "ko": "'{command}' 뒤에는 아무것도 오지 않습니다: '{rest}'",
    },
    # The server, as it starts.
    "serving": {"en": "The game is at {url} (Ctrl-C ends it).", "ko": "게임 주소: {url} (Ctrl-C로 끝냅니다)"},
    "serving_lan": {"en": "In the local network: {url}", "ko": "같은 네트워크에서: {url}"},
    # What the server does not do.
    "refused_bad_message": {
        "en": "expected a message of the protocol, got something else ({what})",
        "ko": "알 수 없는 메시지입니다 ({what})",
    },
    "refused_bad_name": {"en": "A name has 1 to {most} characters.", "ko": "이름은 1자에서 {most}자까지입니다."},
    "refused_bad_settings": {"en": "This cannot be played: {reason}", "ko": "이렇게는 할 수 없습니다: {reason}"},
    "refused_no_room": {"en": "This room is not there (any more).", "ko": "그런 방이 없거나 이미 닫혔습니다."},
    "refused_room_full": {"en": "All seats of this room are taken.", "ko": "빈자리가 없습니다."},
    "refused_room_closed": {"en": "This room is closed.", "ko": "닫힌 방입니다."},
    "refused_started": {
        "en": "The game has begun: you can watch it.",
        "ko": "게임이 이미 시작됐습니다. 관전할 수 있습니다.",
    },
    "refused_no_seat": {"en": "You have no such seat in this room.", "ko": "이 방에 그런 자리가 없습니다."},
    "refused_bad_token": {"en": "This seat is no longer yours.", "ko": "더 이상 내 자리가 아닙니다."},
    "refused_not_host": {"en": "Only the host can do this.", "ko": "방장만 할 수 있습니다."},
    "refused_not_now": {"en": "This cannot be done now.", "ko": "지금은 할 수 없습니다."},
    "refused_not_your_turn": {"en": "It is not your turn.", "ko": "내 차례가 아닙니다."},
    "refused_late": {"en": "The table has changed: look again.", "ko": "그사이 판이 바뀌었습니다. 다시 확인하세요."},
    "refused_choose": {"en": "There are several ways: choose one.", "ko": "여러 방법이 있습니다. 하나를 고르세요."},
    "refused_busy": {"en": "That was too much at once: wait a moment.", "ko": "요청이 너무 많습니다. 잠시 기다리세요."},
    "refused_not_kept": {
        "en": "The server cannot save the game, so nothing was done: {reason}",
        "ko": "서버가 저장하지 못해 아무것도 바뀌지 않았습니다: {reason}",
    },
    "refused_not_found": {"en": "There is nothing here.", "ko": "찾을 수 없습니다."},
    "refused_failed": {
        "en": "The server made a mistake; nothing was done.",
        "ko": "서버 오류로 아무것도 바뀌지 않았습니다.",
    },
}

SENTENCES: Final[dict[str, dict[str, str]]] = {
    "{move} is not legal: {reason}": {"ko": "{move}: 둘 수 없습니다. {reason}"},
    "the round is over": {"ko": "라운드가 끝났습니다."},
    "{ruleset} rummy has no such move": {"ko": "이 게임에 없는 수입니다."},
    "a turn begins with draw or take": {"ko": "먼저 더미나 버린 더미에서 한 장을 가져와야 합니다."},
    "the stock is empty and the pile has only its top card, which must be taken": {
        "ko": "더미가 비어 버린 더미의 한 장을 가져와야 합니다."
    },
    "the pile is empty": {"ko": "버린 더미가 비었습니다."},
    "a card was drawn already in this turn": {"ko": "이번 차례에 이미 한 장을 가져왔습니다."},
    "{card} is not in the hand": {"ko": "{card} 카드가 손패에 없습니다."},
    "{cards} is neither a set nor a run": {"ko": "{cards}: 세트도 런도 아닙니다."},
    "{card} was taken from the pile in this turn": {"ko": "{card}: 이번 차례에 버린 더미에서 가져온 카드입니다."},
    "the stock is empty": {"ko": "더미가 비었습니다."},
    "the first upcard has to be taken or refused first, by pass": {"ko": "먼저 첫 카드를 가져오거나 패스해야 합니다."},
    "only the first upcard can be refused": {"ko": "패스는 첫 카드에만 할 수 있습니다."},
    "both players have refused the upcard, so this turn begins with draw": {
        "ko": "둘 다 첫 카드를 받지 않았으니 더미에서 뽑아야 합니다."
    },
    "expected at most {limit} points of deadwood after the discard, got {points}": {
        "ko": "노크하려면 버린 뒤 데드우드가 {limit}점 이하여야 합니다. 지금은 {points}점입니다."
    },
    "a player packs before drawing, not after": {"ko": "포기는 뽑기 전에만 할 수 있습니다."},
    "the other cards are no valid declaration": {"ko": "나머지 카드로는 선언할 수 없습니다."},
    "the table has {count} melds, numbered from 0, and no {number}": {
        "ko": "탁자의 멜드는 0번부터 {count}개이고 {number}번은 없습니다."
    },
    "no meld on the table takes the card": {"ko": "그 카드를 받을 멜드가 탁자에 없습니다."},
    "{card} does not fit the {end} end of {cards}": {"ko": "{card}: {cards} 멜드의 그쪽 끝에 맞지 않습니다."},
    "{card} fits both ends of {cards}: low or high?": {
        "ko": "{card}: {cards} 멜드의 양쪽 끝에 맞습니다. low나 high를 붙이세요."
    },
    "{card} does not fit {cards}": {"ko": "{card}: {cards} 멜드에 맞지 않습니다."},
    "no card was taken, or something was done since": {
        "ko": "되돌릴 카드가 없거나, 그 뒤에 이미 다른 행동을 했습니다."
    },
    "the card was given back in this turn": {"ko": "이번 차례에 되돌린 카드는 다시 가져올 수 없습니다."},
    "no opening was put together that reaches the threshold": {"ko": "기준에 닿는 오픈을 아직 내놓지 않았습니다."},
    "before opening nothing can be put down but an opening": {
        "ko": "오픈하기 전에는 오픈 멜드만 내려놓을 수 있습니다."
    },
    "the seat has opened already": {"ko": "이미 오픈했습니다."},
    "the opening in the making has to be confirmed first": {"ko": "내놓는 중인 오픈을 먼저 확정해야 합니다."},
    "the opening could not reach the threshold with it": {"ko": "그렇게 하면 오픈 기준에 닿을 수 없습니다."},
    "meld {number} of the table is no piece of an opening in the making": {
        "ko": "탁자의 멜드 {number}번은 내놓는 중인 오픈이 아닙니다."
    },
    "a freed joker has to be put down first": {"ko": "빼낸 조커를 먼저 내려놓아야 합니다."},
    "{card}, taken from the pile, has to be put down first": {
        "ko": "{card}: 버린 더미에서 가져온 카드를 먼저 내려놓아야 합니다."
    },
    "{card}, taken from the pile, is not in it": {"ko": "{card}: 버린 더미에서 가져온 카드가 오픈에 없습니다."},
    "expected {needed} points or at most one card left, got {points} points": {
        "ko": "오픈에는 {needed}점이 필요합니다 (손패가 1장 이하로 남으면 면제). 지금은 {points}점입니다."
    },
    "the taken card or a freed joker could not be put down any more": {
        "ko": "그러면 가져온 카드나 빼낸 조커를 더는 내려놓을 수 없습니다."
    },
    "{card} replaces no joker of {cards}": {"ko": "{card}: {cards} 멜드의 조커 자리에 맞지 않습니다."},
    "expected cards like {examples} in {text}, got {got} at character {at}": {
        "ko": "카드는 'Ts', '10♥'처럼 씁니다: {text}, {got}에서 막혔습니다."
    },
    "expected one card, got {count} in {text}": {"ko": "카드 한 장이 필요합니다: {text}"},
    "expected cards after {kind}, got none": {"ko": "{kind} 뒤에는 내려놓을 카드가 필요합니다."},
    "expected nothing after {kind}, got {rest}": {"ko": "{kind} 뒤에는 아무것도 오지 않습니다: {rest}"},
    "expected melds like {examples} after 'open', got {text}": {
        "ko": "이런 멜드가 필요합니다: {examples}. 입력: {text}"
    },
    "expected '{kind} CARD N' with N the number of a table meld, got {text}": {
        "ko": "{kind} 뒤에는 카드와 탁자 멜드의 번호를 씁니다 (예: {kind} 7d 0): {text}"
    },
    "expected a move like {examples}, got {text}": {"ko": "이런 수가 필요합니다: {examples}. 입력: {text}"},
}
"""What the rules and the readers of moves and cards say in English, in the other languages."""


def language(environment: Mapping[str, str] = os.environ) -> str:
    """The language of the system's settings, English where the game does not speak it.

    >>> language({"LANG": "ko_KR.UTF-8"}), language({"LANG": "C"})
    ('ko', 'en')
    """
    chosen = next((value for name in ("LC_ALL", "LC_MESSAGES", "LANG") if (value := environment.get(name))), "")
    found = re.match(r"[a-z]+", chosen)
    return found[0] if found and found[0] in LANGUAGES else "en"


class Words:
    """The messages in one language.

    >>> Words("en")("cards", n=1), Words("ko")("cards", n=7)
    ('1 card', '7장')

    Raises:
        ValueError: for a language that is not one of `LANGUAGES`.
    """

    def __init__(self, lang: str = "en") -> None:
        if lang not in LANGUAGES:
            raise ValueError(f"lang: expected one of {', '.join(LANGUAGES)}, got '{lang}'")
        self.lang = lang

    def __call__(self, key: str, **values: Any) -> str:
        """The message, filled with ``values``."""
        return self._form(key, values).format(**values)

    def text(self, key: str, **values: Any) -> Text:
        """The message with ``values`` that may be styled texts, such as cards."""
        return Text.assemble(*_filled(self._form(key, values), values))

    def name(self, group: str, name: str) -> str:
        """What a name of the program is called, as ``bot`` ``hard``; itself where it has no translation."""
        return self(f"{group}_{name}") if f"{group}_{name}" in MESSAGES else name

    def sentence(self, sentence: str) -> str:
        """A sentence of the rules (see `SENTENCES`); itself where it has no translation."""
        for pattern, translations in _patterns():
            if self.lang in translations and (match := pattern.fullmatch(sentence)):
                values = {name: self.sentence(value) for name, value in match.groupdict().items()}
                return translations[self.lang].format(**values)
        return sentence

    def reason(self, sentence: str) -> str:
        """Why a move is not played, for whoever pressed something and typed no move: `sentence` without the move."""
        found = re.fullmatch(r".+? is not legal: (.+)", sentence)
        text = self.sentence(found[1] if found else sentence)
        return text[:1].upper() + text[1:]

    def _form(self, key: str, values: Mapping[str, Any]) -> str:
        forms = MESSAGES[key][self.lang]
        return forms if isinstance(forms, str) else forms[values["n"] != 1]


def _filled(template: str, values: Mapping[str, Any]) -> list[str | Text]:
    parts: list[str | Text] = []
    for literal, field, _, _ in Formatter().parse(template):
        parts.append(literal)
        if field is not None:
            parts.append(value if isinstance(value := values[field], Text) else str(value))
    return parts


@cache
def _patterns() -> list[tuple[re.Pattern[str], dict[str, str]]]:
    """`SENTENCES` as patterns that find the values in a sentence."""
    patterns = []
    for template, translations in SENTENCES.items():
        pieces = []
        for literal, field, _, _ in Formatter().parse(template):
            pieces.append(re.escape(literal))
            if field is not None:
                pieces.append(f"(?P<{field}>.+?)")
        patterns.append((re.compile("".join(pieces)), translations))
    return patterns
