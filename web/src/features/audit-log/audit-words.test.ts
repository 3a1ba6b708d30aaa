import { describe, expect, it } from "vitest";
import { AuditEventType } from "#/api/gen/hourmeter/common/v1/audit_pb";
import en from "#/i18n/locales/en/audit-log.json";
import es from "#/i18n/locales/es/audit-log.json";
import { auditCategories } from "#/shared/audit/audit-categories";
import { auditWord, auditWords, readableWord, wordsOf } from "#/shared/audit/audit-words";

const words = Object.keys(AuditEventType)
  .filter((name) => name !== "UNSPECIFIED")
  .map((name) => name.toLowerCase())
  .toSorted();

describe("the words that the server writes", () => {
  it("are in the list", () => {
    expect(words.length).toBeGreaterThan(30);
  });

  it("all have an entry, and no others do", () => {
    expect(Object.keys(auditWords).toSorted()).toEqual(words);
  });

  it("all have a text in both languages, and no others do", () => {
    expect(Object.keys(en.words).toSorted()).toEqual(words);
    expect(Object.keys(es.words).toSorted()).toEqual(words);
  });

  it("have the texts that the entries name", () => {
    for (const [name, word] of Object.entries(auditWords)) {
      const requests = JSON.stringify(word).match(/audit-log\.words\.\w+/g) ?? [];
      expect(new Set(requests)).toEqual(new Set([`audit-log.words.${name}`]));
    }
  });

  it("belong to one category each", () => {
    expect(auditCategories.flatMap(wordsOf).toSorted()).toEqual(words);
    // The server accepts this many in one filter.
    for (const category of auditCategories) expect(wordsOf(category).length).toBeLessThan(50);
  });
});

describe("a word that is not known", () => {
  it.each(["session_exported", "toString", "__proto__", ""])("%j has no entry", (word) => {
    expect(auditWord(word)).toBeUndefined();
  });

  it.each([
    ["session_exported", "session exported"],
    ["odd__one_", "odd one"],
    ["plain", "plain"],
  ])("%s reads %s", (word, text) => {
    expect(readableWord(word)).toBe(text);
  });
});
