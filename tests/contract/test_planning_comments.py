"""Comments over real HTTP: who reads, changes and deletes them, who has not read them, and their mails."""

import asyncio
import re
from datetime import UTC, datetime, timedelta
from email import message_from_bytes, policy

import pytest
from aiosmtpd.controller import Controller

from coachboard.service.invitations.mail import Mailer
from coachboard.service.planning.comment_mails import comments_message, send_due_mails
from coachboard.service.planning.comments import AT_ONCE_S, CommentedRow, due_at
from coachboard.service.store.comments import StoredComment, Thread
from coachboard.wire.comments import Comment, CommentMailChoice, UnreadComment
from coachboard.wire.enums import WorkspaceRole
from contract.test_planning import change, create, done, plan, refused
from running import free_port
from seeded import (
    ADMIN_KEY,
    ATHLETE,
    ATHLETE_KEY,
    COACH,
    COACH_KEY,
    OTHER_ATHLETE_KEY,
    RIDE,
    SQUAD,
    STRANGER_KEY,
    TODAY,
)
from waiting import wait_until

__all__ = ["plan"]
KEYS = (COACH_KEY, ATHLETE_KEY, ADMIN_KEY)
ON_RIDE = f"/plan/v1/activities/{RIDE}/comments"


@pytest.fixture
def say(service, ask):
    """Writes a comment; returns the reply. All are deleted at the end."""
    written = []

    def write(path, text="Well done", key=COACH_KEY):
        reply = ask(path, key=key, method="POST", json={"text": text})
        if reply.status_code == 200:
            written.append((reply.json()["id"], key))
        return reply

    yield write
    service.clock.next_minute()
    for comment_id, key in written:
        ask(f"/plan/v1/comments/{comment_id}", key=key, method="DELETE")
    for key in KEYS:
        ask("/plan/v1/comments/mail", key=key, method="PUT", json={"mail": "daily", "address": None})


def thread(ask, path, key=COACH_KEY):
    reply = ask(path, key=key)
    assert reply.status_code == 200, reply.text
    return [Comment.from_wire(row).text for row in reply.json()]


def unread(ask, key):
    rows = ask("/plan/v1/comments/unread", key=key).json()
    return [UnreadComment.from_wire(row) for row in rows]


def on(entry):
    return f"/plan/v1/entries/{entry['id']}/comments"


def test_the_athlete_and_all_their_coaches_read_a_comment_and_nobody_else_does(plan, ask, say):
    for path in (on(done(plan(create()))), ON_RIDE):
        comment = Comment.from_wire(say(path, "Keep it <b>easy</b>").json())
        say(path, "I will", ATHLETE_KEY)

        assert (comment.user_id, comment.author.name, comment.is_own) == (ATHLETE, "Carla Coach", True)
        for key in KEYS:  # the admin leads another workspace of the athlete
            assert thread(ask, path, key) == ["Keep it <b>easy</b>", "I will"]
        for key in (OTHER_ATHLETE_KEY, STRANGER_KEY):
            assert ask(path, key=key).status_code == 404
            assert say(path, key=key).status_code == 404


def test_a_private_note_has_comments_for_its_coaches_and_a_hidden_entry_none_for_the_athlete(plan, ask, say):
    private = done(plan(create("note", isPrivate=True)))
    hidden = done(plan(create(visibleFrom=str(TODAY + timedelta(days=3)))))
    for entry in (private, hidden):
        say(on(entry), "Between us")

        assert thread(ask, on(entry)) == ["Between us"]
        for key in (ATHLETE_KEY, ADMIN_KEY):
            assert ask(on(entry), key=key).status_code == 404
            assert unread(ask, key) == []


def test_a_removed_coach_reads_nothing_and_is_mailed_nothing(service, plan, ask, say):
    path = on(done(plan(create())))
    own = say(path, "From the coach").json()
    say(path, "From the athlete", ATHLETE_KEY)
    assert len(unread(ask, COACH_KEY)) == 1
    service.store.remove_member(SQUAD, COACH)
    try:
        assert ask(path, key=COACH_KEY).status_code == 404
        assert unread(ask, COACH_KEY) == []
        change_ = {"json": {"text": "Again"}, "headers": {"If-Match": own["etag"]}}
        assert ask(f"/plan/v1/comments/{own['id']}", method="PATCH", **change_).status_code == 404
        say(ON_RIDE, "Only for those who are left", ATHLETE_KEY)
    finally:
        service.store.add_member(SQUAD, COACH, WorkspaceRole.COACH)
    assert [comment.text for comment in unread(ask, COACH_KEY)] == ["From the athlete"]


def test_only_the_author_changes_and_deletes(ask, say):
    made = say(ON_RIDE, "Frist").json()
    path, tag = f"/plan/v1/comments/{made['id']}", {"If-Match": f'"{made["etag"]}"'}
    other = ask(path, key=ATHLETE_KEY, method="PATCH", json={"text": "Mine"}, headers=tag)
    assert refused(other) == (403, "Only its author may change or delete a comment.")
    assert ask(path, key=ATHLETE_KEY, method="DELETE").status_code == 403
    assert ask(path, key=STRANGER_KEY, method="DELETE").status_code == 404
    assert ask(path, method="PATCH", json={"text": "First"}).status_code == 428

    changed = ask(path, method="PATCH", json={"text": "First"}, headers=tag).json()
    assert (changed["text"], changed["editedAt"] is None) == ("First", False)
    stale = ask(path, method="PATCH", json={"text": "Second"}, headers=tag)
    assert (stale.status_code, stale.json()["current"]) == (412, changed)
    assert ask(path, method="DELETE").json()["id"] == made["id"]
    assert thread(ask, ON_RIDE, ATHLETE_KEY) == []
    assert unread(ask, ATHLETE_KEY) == []


def test_unread_comments_are_marked_for_each_reader(plan, ask, say):
    entry = done(plan(create(title="Threshold")))
    say(on(entry), "First")
    say(on(entry), "Second")
    (first, second), admins = unread(ask, ATHLETE_KEY), unread(ask, ADMIN_KEY)

    assert (first.title, str(first.date), first.is_unread) == (
        "Threshold",
        entry["prescription"]["date"],
        True,
    )
    assert len(admins) == 2
    assert unread(ask, COACH_KEY) == []
    ask("/plan/v1/comments/read", key=ATHLETE_KEY, method="POST", json={"ids": [first.id]})
    assert [comment.id for comment in unread(ask, ATHLETE_KEY)] == [second.id]
    marks = [row["isUnread"] for row in ask(on(entry), key=ATHLETE_KEY).json()]
    assert (marks, len(unread(ask, ADMIN_KEY))) == ([False, True], 2)


def test_comments_of_a_deleted_entry_come_back_with_an_undo(plan, ask, say):
    entry = done(plan(create()))
    say(on(entry), "Kept")
    batch = plan(change("delete", entry)).json()["id"]
    assert ask(on(entry)).status_code == 404
    assert unread(ask, ATHLETE_KEY) == []
    ask(f"/plan/v1/batches/{batch}/undo", method="POST", json={})

    assert thread(ask, on(entry)) == ["Kept"]
    assert len(unread(ask, ATHLETE_KEY)) == 1


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (" \n ", "text: has no visible character."),
        ("\u202e", "text: has no visible character."),
        ("a\u0000b", "a text has a control character"),
        ("x" * 4_001, "text"),
        ("", "text"),
        (None, "text"),
    ],
)
def test_a_text_that_is_no_comment_is_refused(say, text, words):
    status, sentence = refused(say(ON_RIDE, text))
    assert status == 400
    assert words in sentence


def test_a_person_writes_thirty_comments_in_a_minute(service, ask, say):
    service.clock.next_minute()
    replies = [say(ON_RIDE, f"Comment {number}") for number in range(31)]

    assert [reply.status_code for reply in replies] == [*[200] * 30, 429]
    assert int(replies[-1].headers["retry-after"]) <= 60
    assert say(ON_RIDE, key=ATHLETE_KEY).status_code == 200


# Mails.


@pytest.fixture
def mails(service, tmp_path):
    """Sends what is due; returns the mails of the call."""
    mailer = Mailer(smtp_url=None, sender="coachboard@example.org", outbox=tmp_path / "mails")

    def send(after=timedelta()):
        service.clock.now += after.total_seconds()
        before = set((tmp_path / "mails").glob("*.eml"))
        send_due_mails(
            service.store,
            mailer,
            today=lambda: datetime.fromtimestamp(service.clock(), UTC).date(),
            clock=service.clock,
            public_url="https://coach.example",
        )
        files = sorted(set((tmp_path / "mails").glob("*.eml")) - before)
        return [message_from_bytes(file.read_bytes(), policy=policy.default) for file in files]

    now = service.clock.now
    yield send
    mailer.close()
    service.clock.now = now


@pytest.fixture
def choose(service, ask):
    """Chooses when mails come, and confirms a new address with the code of the day."""

    def send(mail, address="ana@example.org", **more):
        body = {"mail": mail, "address": address, **more}
        reply = ask("/plan/v1/comments/mail", key=ATHLETE_KEY, method="PUT", json=body)
        assert reply.status_code == 200, reply.text
        choice = CommentMailChoice.from_wire(reply.json())
        if choice.unconfirmed is None:
            return choice
        today = datetime.fromtimestamp(service.clock(), UTC).date()
        return send(mail, address, code=service.store.address_code(ATHLETE, address, today))

    return send


AT_ONCE = timedelta(seconds=AT_ONCE_S)


def test_a_mail_at_once_quotes_the_comment_as_plain_text(ask, say, mails, choose):
    choose("atOnce")
    say(ON_RIDE, "<b>Well</b>\nBcc: everyone@example.org\n\n.\nhttps://evil.example")
    assert mails() == []
    (mail,) = mails(AT_ONCE)

    assert (mail["to"], mail["subject"], mail["bcc"]) == (
        "ana@example.org",
        "1 new comment: Carla Coach",
        None,
    )
    assert mail.get_content_type() == "text/plain"
    body = mail.get_content()
    assert "> <b>Well</b>\n> Bcc: everyone@example.org\n> \n> .\n> https://evil.example\n" in body
    assert f"https://coach.example/activity?athlete=me&activity={RIDE}" in body
    assert not any(key in bytes(mail).decode() for key in KEYS)
    assert mails(timedelta(days=2)) == []


def test_a_slow_mail_server_gets_no_second_mail_of_another_process(
    service, ask, say, mails, tmp_path, choose
):
    """Each of nine replies of a mail server may take 15 s."""

    class Slow:
        async def handle_DATA(self, _server, _session, envelope):  # noqa: N802 (aiosmtpd's name)
            sent.append(envelope.content)
            others.extend(await asyncio.to_thread(mails, timedelta(seconds=9 * 15)))
            return "250 OK"

    sent, others, port = [], [], free_port()
    choose("atOnce")
    say(ON_RIDE)
    service.clock.now += AT_ONCE.total_seconds()
    server = Controller(Slow(), hostname="127.0.0.1", port=port)
    server.start()
    mailer = Mailer(smtp_url=f"smtp://127.0.0.1:{port}", sender="c@example.org", outbox=tmp_path / "none")
    try:
        send_due_mails(service.store, mailer, today=lambda: TODAY, clock=service.clock, public_url=None)
    finally:
        mailer.close()
        server.stop()

    assert (len(sent), others) == (1, [])


def test_a_name_or_an_address_starts_no_header(ask):
    """The mail library decodes words like these in headers."""
    comment = StoredComment("cmt_1", ATHLETE, Thread(activity_id=RIDE), COACH, "Well", datetime.now(UTC))
    names = {COACH: "=?utf-8?q?C=0D=0ABcc:all=40example.org?=", ATHLETE: "Ana"}
    row = CommentedRow(ATHLETE, "Ride", TODAY)
    message = comments_message("ana@example.org", [(comment, row)], names, reader_id=ATHLETE, public_url=None)
    mail = message_from_bytes(bytes(message), policy=policy.default)
    body = {"mail": "daily", "address": "=?utf-8?q?=0d=0aBcc=3ab?=@example.org"}
    wrong = ask("/plan/v1/comments/mail", key=ATHLETE_KEY, method="PUT", json=body)

    assert mail.keys() == message.keys()
    assert mail["Subject"] == "1 new comment: = ?utf-8?q?C=0D=0ABcc:all=40example.org?="
    assert refused(wrong)[0] == 400


def test_the_daily_mail_has_all_comments_of_a_day_in_one(plan, ask, say, mails, choose):
    choose("daily")
    say(ON_RIDE, "On the session")
    assert mails(timedelta(seconds=1)) == []
    say(on(done(plan(create()))), "On the plan")
    assert mails(timedelta(hours=5)) == []
    (mail,) = mails(timedelta(days=1))

    assert mail["subject"] == "2 new comments: Carla Coach"
    assert mail.get_content().index("On the session") < mail.get_content().index("On the plan")


def test_a_comment_that_was_deleted_or_read_or_hidden_is_in_no_mail(plan, ask, say, mails, choose):
    choose("atOnce")
    entry = done(plan(create()))
    gone = say(ON_RIDE, "Retracted").json()
    say(ON_RIDE, "Read already")
    say(on(entry), "Hidden since")
    say(ON_RIDE, "Typo").json()
    ask(f"/plan/v1/comments/{gone['id']}", method="DELETE")
    read = next(comment for comment in unread(ask, ATHLETE_KEY) if comment.text == "Read already")
    ask("/plan/v1/comments/read", key=ATHLETE_KEY, method="POST", json={"ids": [read.id]})
    plan(change("update", entry, visibleFrom=str(TODAY + timedelta(days=9))))
    last = next(comment for comment in unread(ask, ATHLETE_KEY) if comment.text == "Typo")
    change_ = {"json": {"text": "Corrected"}, "headers": {"If-Match": last.etag}}
    ask(f"/plan/v1/comments/{last.id}", method="PATCH", **change_)
    (mail,) = mails(AT_ONCE)

    quoted = [line for line in mail.get_content().splitlines() if line.startswith(">")]
    assert quoted == ["> Corrected"]


def test_without_an_address_or_with_mails_off_none_is_sent(ask, say, mails, choose):
    say(ON_RIDE)
    choose("off")
    say(ON_RIDE)
    assert mails(timedelta(days=3)) == []
    wrong = ask("/plan/v1/comments/mail", method="PUT", json={"mail": "daily", "address": "nobody"})
    assert refused(wrong)[0] == 400
    missing = ask("/plan/v1/comments/mail", method="PUT", json={"mail": "atOnce", "address": None})
    assert refused(missing) == (400, "address: enter the address for the mails.")


def test_a_new_choice_counts_for_comments_that_wait(ask, say, mails, choose):
    choose("daily")
    say(ON_RIDE, "Waits")
    choose("atOnce")
    assert len(mails(AT_ONCE)) == 1
    choose("daily")
    say(ON_RIDE, "Waits again")
    choose("off")
    assert mails(timedelta(days=3)) == []


@pytest.mark.parametrize(
    ("now", "zone", "due"),
    [
        ("2026-03-28T04:59", None, "2026-03-28T06:00"),
        ("2026-03-28T06:00", None, "2026-03-29T06:00"),
        ("2026-03-28T06:00", "Europe/Oslo", "2026-03-29T04:00"),  # summer time begins in between
        ("2026-10-24T23:00", "Pacific/Auckland", "2026-10-25T17:00"),
    ],
)
def test_the_daily_mail_comes_at_six_in_the_zone_of_its_reader(now, zone, due):
    moments = [datetime.fromisoformat(text).replace(tzinfo=UTC) for text in (now, due)]
    assert due_at(moments[0], zone) == moments[1].timestamp()


def test_a_new_address_gets_a_code_first_and_no_comment(service, ask, say, mails, choose):
    """A person could send the comments of their athletes to another person's address."""
    path = "/plan/v1/comments/mail"
    choose("atOnce")
    say(ON_RIDE)
    body = {"mail": "daily", "address": "other@example.org"}
    asked = ask(path, key=ATHLETE_KEY, method="PUT", json=body).json()
    service.clock.next_minute()
    wrong = [
        ask(path, key=ATHLETE_KEY, method="PUT", json={**body, "code": code}) for code in ("", "AAAAAAAA")
    ]
    (mail,) = mails(AT_ONCE)

    def to_other():
        files = service.outbox.glob("*.eml")
        sent = (message_from_bytes(file.read_bytes(), policy=policy.default) for file in files)
        return [each for each in sent if each["to"] == "other@example.org"]

    wait_until(to_other)
    (sent,) = to_other()
    code = re.search("^Your code: (.*)$", sent.get_content(), re.MULTILINE).group(1)
    of_another = ask(path, key=COACH_KEY, method="PUT", json={**body, "code": code})
    service.clock.next_minute()
    kept = ask(path, key=ATHLETE_KEY, method="PUT", json={**body, "code": f" {code.lower()} "}).json()

    assert asked == {
        "mail": "atOnce", "address": "ana@example.org", "unconfirmed": "other@example.org", "hasMailServer": False,
    }  # fmt: skip
    assert [refused(each) for each in (*wrong, of_another)] == [
        (400, "code: is not that of the mail, or older than a day.")
    ] * 3
    assert mail["to"] == "ana@example.org"
    assert (kept["mail"], kept["address"], kept["unconfirmed"]) == ("daily", "other@example.org", None)


def test_another_domain_that_folds_to_the_same_letters_gets_a_code(ask, choose):
    choose("daily", "ana@strasse.example")
    body = {"mail": "daily", "address": "ana@stra\u00dfe.example"}
    reply = ask("/plan/v1/comments/mail", key=ATHLETE_KEY, method="PUT", json=body).json()

    assert (reply["address"], reply["unconfirmed"]) == ("ana@strasse.example", "ana@stra\u00dfe.example")


def test_a_person_cannot_have_codes_mailed_all_day(service, ask):
    statuses = []
    for number in range(21):
        service.clock.next_minute()
        body = {"mail": "daily", "address": f"stranger{number}@example.org"}
        reply = ask("/plan/v1/comments/mail", key=STRANGER_KEY, method="PUT", json=body)
        statuses.append(reply.status_code)

    assert statuses == [200] * 20 + [429]
    assert reply.json()["error"] == "More than 20 codes in a day; try again tomorrow."


def test_codes_for_addresses_are_limited(ask):
    body = {"mail": "daily", "address": "many@example.org", "code": "AAAAAAAA"}
    replies = [ask("/plan/v1/comments/mail", method="PUT", json=body).status_code for _ in range(5)]

    assert replies == [400] * 4 + [429]
