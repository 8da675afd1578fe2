"""The socket of a class: the teacher leads a room, the students vote in it, and each change reaches all of them.

Every message is a JSON object. The visitor's key, from the cookie, says who speaks. A teacher or a student who loads
the page again, or whose connection was lost, sends the first message again and gets the present state.

**The first message** of a connection is one of these. It decides the role, which does not change.

    {"role": "teacher"}                  leads the room that this visitor opened, if there is one
    {"role": "student"}                  is in the room that this visitor joined last, if it is still there

**The teacher** then sends:

    {"open": true}                       open a room (the state is then that of the room which is already open, if any)
    {"add": question}                    put a question at the end of the plan; see "Questions"
    {"drop": number}                     take a question that was not asked yet out of the plan; those after it move up
    {"do": act, "question": number}      act: "ask", "again", "reveal", "next"; number: of the question in the state
                                         when the button was pressed. A press that comes twice, or late, does nothing
    {"show_code": bool}                  show the code large, or no longer, on every screen of the teacher
    {"step": id, "follow": bool}         the step of a lesson where the teacher stands ("" for none), and whether the
                                         students follow there
    {"end": true}                        end the room

**A student** then sends:

    {"join": code}                       small letters and spaces around it do not matter
    {"leave": true}                      go back to the field for the code
    {"vote": index, "question": number, "round": 1 or 2, "n": n}
                                         n: the number of this vote, larger than `mine.n` of the last state. A vote
                                         counts if its n is larger than that of the last one that arrived. So a vote can
                                         be sent again after a lost connection: send it again as it was, unless the
                                         state that comes first has another question or round, or `mine.n` >= n

**The server** sends messages of three kinds:

    {"question": {...}}                  the question in view; only when it is new to this connection, before the state
    {"state": {...}}                     the whole state; after the first message, and whenever it changes
    {"refused": words, "to": kind}       a message was not obeyed, and why, in words for the reader. kind: the first key
                                         of the message ("join", "vote", "add", "do", ...)

A state comes at most ten times a second. A message that cannot be understood closes the connection with code 1007, one
that is too long with 1009, and a page of another site or a browser without the cookie with 1008. After any other end of
the connection, connect again.

**The teacher's state**

    phase          "none" (no room), "join", "ready", "ask", "again", "reveal", "second", "ended"
    can            which of "ask", "again", "reveal", "next" are on; the first is the bold one
                     ask: students can vote on the question in view, which in the phase "join" is the first of the plan
                     again: a second vote begins
                     reveal: to the phase "reveal", or "second" after a second vote
                     next: to the phase "ready" of the next question; off if the plan has no further question
    code           "K7QF"
    joined         how many students have joined
    here           how many of them are connected now
    voted          how many have voted in this round; null before "ask"
    number, of     the number of the question in view, from 1 (0: none), and how many questions there are in all
    plan           what was not asked yet, with the question in view: [{"number", "title"}, ...]
    show_code      bool
    step, follow   the lesson step where the teacher stands ("": none), and whether students follow
    result         null before the reveal; see "Results"
    ends           when the room ends, in milliseconds since 1970 (as Date.now())
    kept           true if the room survives a restart of the server; false if it cannot be written to the disk
    why            in the phases "none" and "ended": a sentence for the teacher, or ""

**A student's state**

    phase          "code" (in no room), "wait" (nothing was asked yet), "ask", "again", "reveal", "second" or "ended"
    code           "K7QF", "" in the phase "code"
    number, of     of the question in view, as the teacher's; 0 in the phases "code" and "wait". The last result stays
                   in view until the teacher asks the next question
    mine           {"first": index or null, "second": index or null, "n": of the last vote that arrived, 0 for none}
    step           the lesson step to show, "" if the students do not follow
    result         null before the reveal; see "Results"; never with any number of votes
    why            in the phases "code" and "ended": a sentence for the student, or ""

Before the reveal no state and no question has anything from which the votes of others, or the right answer, follow.

**A question in view**

    number         from 1
    kind           "prediction", "task" or "own"
    title          "Which pair merges next?"
    strip          null, or a text in tokens as `read` of components/encoding.js takes it, with its tokens as they are
                   at this step: what merges later is not in it
    options        2 to 6 of {"letter": "A", "tokens": [hex, ...], "text": ""}. tokens: the bytes of each token in
                   hexadecimal (`fromHex` of encoding.js), two of them for a pair; [] if the option is `text`

**Results**

    right          index of the right option, or null if the question has none
    counts         for each option a number ("5 times": how often the pair occurs), or null if there is none to tell
    notes          for each option words such as "merges next", "same count, and the tie rule picks another", or ""
    why            sentences, each a list of parts: words, {"strong": words}, {"pair": [hex, hex]}, {"tokens": [hex]}
    wrong          for each option the sentences (as `why`) that prove it false and name the misconception; [] for the
                   right one
    places         [[start, end], ...]: bytes of the strip where the right answer stands, for the boxes around it
    first, second  teacher only: votes for each option; second is null if there was no second vote
    voted          teacher only: [how many voted first, how many in the second vote or null]
    gain           teacher only: "Right: 6 of 24 first, 17 of 24 then.", "Right: 6 of 24.", "" without a right answer

**Questions** that the teacher adds are one of:

    {"prediction": of, "step": k}        which pair merges next at step k of this training? of: the key of the tokenizer
                                         that the teacher trained, or null for the sample of Replay
    {"task": id}                         the task of the lesson step with this id, if it can be a question
    {"own": title, "options": [2 to 6 texts], "right": index or null}
"""

from __future__ import annotations
