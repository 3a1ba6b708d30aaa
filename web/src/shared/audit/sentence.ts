import type { TFunction } from "i18next";
import { auditWord, readableWord, type AuditSentence, type AuditWord } from "./audit-words";
import type { AuditEvent } from "#/api/gen/hourmeter/common/v1/audit_pb";

/** A part of a sentence; names are emphasized. */
export interface SentencePart {
  text: string;
  name: boolean;
  place: number;
}

/** Placeholders for names while a sentence is formatted, so that they can be found in it. */
const markOf = { actor: "\u{E000}", target: "\u{E001}" };

/** The event as a sentence in the reader's language. */
export function sentenceOf(t: TFunction, event: AuditEvent): SentencePart[] {
  const word = auditWord(event.event);
  const names = namesOf(t, event, word);
  return partsOf(word ? eventText(t, event, word) : unknownEventText(t, event), names);
}

export function plainSentence(t: TFunction, event: AuditEvent): string {
  return sentenceOf(t, event)
    .map((part) => part.text)
    .join("");
}

/** The displayed name of the actor. */
export function actorText(t: TFunction, event: AuditEvent): string {
  const { actorId, actorName, scope } = event;
  if (scope === "staff") {
    if (!actorName) return t("audit-log.actors.support");
    // Without a signed-in person the server writes a word here, not a name.
    const name = actorName === "command line" ? t("audit-log.actors.commandLine") : actorName;
    return t("audit-log.actors.supportNamed", { name });
  }
  if (actorName) return actorName;
  if (actorId) return t("audit-log.actors.unnamed");
  return t(auditWord(event.event)?.defaultActor ?? "audit-log.actors.anonymous");
}

function eventText(t: TFunction, event: AuditEvent, word: AuditWord): string {
  return t(choose(event, word), markOf);
}

function choose(event: AuditEvent, word: AuditWord): AuditSentence["text"] {
  const sentence =
    event.outcome === "success"
      ? (detailed(event, word.byDetail) ?? word.done)
      : (detailed(event, word.triedByDetail) ?? word.tried ?? word.done);
  const isKnown = knownParties(event, word);
  const { without } = sentence;
  return without && !isKnown[without.party] ? without.text : sentence.text;
}

function detailed({ detail }: AuditEvent, texts: AuditWord["byDetail"]): AuditSentence | undefined {
  return texts && Object.hasOwn(texts, detail) ? texts[detail] : undefined;
}

/** Which of the two are known; a person who is both counts as target only if `word` allows it. */
function knownParties(event: AuditEvent, word: AuditWord) {
  const actor = event.actorName !== "" || event.actorId !== undefined || event.scope === "staff";
  const target = event.targetName !== "";
  if (word.holder) return { actor: actor || target, target: actor || target };
  return { actor, target: target && event.targetName !== event.actorName };
}

function namesOf(t: TFunction, event: AuditEvent, word: AuditWord | undefined) {
  const hasNoActor =
    event.actorName === "" && event.actorId === undefined && event.scope !== "staff";
  const actor = word?.holder && hasNoActor ? event.targetName : "";
  const target =
    targetText(t, event) || (word?.holder && event.actorName) || unnamed(t, word?.target);
  return { actor: actor || actorText(t, event), target };
}

/** The displayed name of the target; empty if it is unnamed. */
export function targetText(t: TFunction, { event, targetName }: AuditEvent): string {
  if (auditWord(event)?.target !== "plan") return targetName;
  switch (targetName) {
    case "basic":
      return t("plans.basic.name");
    case "professional":
      return t("plans.professional.name");
    case "enterprise":
      return t("plans.enterprise.name");
    default:
      return targetName;
  }
}

function unnamed(t: TFunction, target: AuditWord["target"]): string {
  switch (target) {
    case "equipment":
      return t("audit-log.targets.equipment");
    case "plan":
      return t("audit-log.targets.plan");
    case "person":
    case undefined:
      return t("audit-log.targets.person");
  }
}

/** A fallback for events of a newer server. */
function unknownEventText(t: TFunction, event: AuditEvent): string {
  const word = readableWord(event.event);
  return event.targetName
    ? t("audit-log.unknownTarget", { ...markOf, word })
    : t("audit-log.unknown", { ...markOf, word });
}

function partsOf(sentence: string, names: { actor: string; target: string }): SentencePart[] {
  return sentence
    .split(/([\u{E000}\u{E001}])/u)
    .filter((part) => part !== "")
    .map((part, place) => {
      if (part === markOf.actor) return { text: names.actor, name: true, place };
      if (part === markOf.target) return { text: names.target, name: true, place };
      return { text: part, name: false, place };
    });
}
