import { expect, it } from "vitest";
import { operator, owner } from "#/test/render-app";
import * as v from "valibot";
import { newSession, reduceSession, type Session, type SessionEvent } from "./state";
import { userSchema } from "./user";

const ana = v.parse(userSchema, owner);
const maria = v.parse(userSchema, operator);

const working: Session = { ...newSession, user: maria, status: "active" };
const offline: Session = { ...newSession, user: maria };
const ended: Session = { ...working, status: "ended" };
const byPin: Session = { ...newSession, user: maria, status: "pin" };
const left: Session = { ...newSession, status: "left" };

interface Case {
  what: string;
  from: Session;
  event: SessionEvent;
  to: Session;
}

const refused: SessionEvent = { type: "refused", user: null };

it.each<Case>([
  {
    what: "a start knows no user",
    from: { ...ended, leaving: true, signInOpen: true, password: "asked" },
    event: { type: "started" },
    to: newSession,
  },
  {
    what: "an answer with a user signs in",
    from: newSession,
    event: { type: "answered", user: maria },
    to: working,
  },
  {
    what: "an answer without a user shows a visitor's page",
    from: newSession,
    event: refused,
    to: newSession,
  },
  {
    what: "an answer without a user asks the last operator to sign in again",
    from: newSession,
    event: { type: "refused", user: maria },
    to: ended,
  },
  {
    what: "no network shows the last operator",
    from: newSession,
    event: { type: "unreachable", user: maria },
    to: offline,
  },
  {
    what: "an answer confirms the last operator",
    from: offline,
    event: { type: "answered", user: maria },
    to: working,
  },
  {
    what: "an answer ends the last operator's session",
    from: offline,
    event: refused,
    to: ended,
  },
  {
    what: "a session that the server has ended keeps its user",
    from: working,
    event: { type: "refused", user: ana },
    to: ended,
  },
  {
    what: "another answer without a user keeps the sign-in open",
    from: { ...ended, signInOpen: true },
    event: refused,
    to: { ...ended, signInOpen: true },
  },
  {
    what: "a sign-in in another tab continues an ended session",
    from: { ...ended, signInOpen: true },
    event: { type: "answered", user: maria },
    to: working,
  },
  {
    what: "a running logout expects the end of the session and removes the user itself",
    from: { ...working, leaving: true },
    event: refused,
    to: { ...working, leaving: true },
  },
  {
    what: "a logout keeps the user until the server has answered",
    from: working,
    event: { type: "leaving", leaving: true },
    to: { ...working, leaving: true },
  },
  {
    what: "a logout here or in another tab removes the user and closes the dialogs",
    from: { ...ended, signInOpen: true, password: "asked" },
    event: { type: "replaced", user: null },
    to: left,
  },
  {
    what: "an answer without a user does not show the last operator after a logout",
    from: left,
    event: refused,
    to: left,
  },
  {
    what: "a sign-in after a logout",
    from: left,
    event: { type: "replaced", user: maria },
    to: working,
  },
  {
    what: "a sign-in by PIN has no session, and stays without one until the server confirms it",
    from: left,
    event: { type: "enteredByPin", user: maria },
    to: byPin,
  },
  {
    what: "an answer without a user keeps a sign-in by PIN",
    from: byPin,
    event: refused,
    to: byPin,
  },
  {
    what: "an answer confirms a sign-in by PIN",
    from: byPin,
    event: { type: "answered", user: maria },
    to: working,
  },
  {
    what: "a change of user closes the dialogs",
    from: { ...ended, signInOpen: true, password: "asked" },
    event: { type: "replaced", user: ana },
    to: { ...working, user: ana },
  },
  {
    what: "a user who signed in in another tab replaces the user",
    from: working,
    event: { type: "answered", user: ana },
    to: { ...working, user: ana },
  },
  {
    what: "a change of the user's data does not confirm an ended session",
    from: ended,
    event: { type: "updated", user: { ...maria, firstName: "Mary" } },
    to: { ...ended, user: { ...maria, firstName: "Mary" } },
  },
  {
    what: "an operator opens the sign-in",
    from: ended,
    event: { type: "signInShown", open: true },
    to: { ...ended, signInOpen: true },
  },
  {
    what: "a call asks for the password",
    from: working,
    event: { type: "passwordAsked" },
    to: { ...working, password: "asked" },
  },
  {
    what: "the user confirms the password",
    from: { ...working, password: "asked" },
    event: { type: "passwordSettled", confirmed: true },
    to: { ...working, password: "confirmed" },
  },
  {
    what: "the user cancels the password dialog",
    from: { ...working, password: "asked" },
    event: { type: "passwordSettled", confirmed: false },
    to: working,
  },
])("$what", ({ from, event, to }) => {
  expect(reduceSession(from, event)).toEqual(to);
});
