import i18next from "i18next";
import { beforeEach, describe, expect, it } from "vitest";
import { auditWords } from "#/shared/audit/audit-words";
import { changeLanguage } from "#/i18n";
import { line } from "./audit-log.fixture";
import { detailOf } from "#/shared/audit/detail-text";
import { actorText, plainSentence, sentenceOf } from "#/shared/audit/sentence";
import { zonedTime } from "./use-zoned-time";

const read = (more: Parameters<typeof line>[0]) => plainSentence(i18next.t, line(more));

const stranger = { actorId: undefined, actorName: "", scope: "" };
const support = { actorId: "s1", actorName: "Sam Ortiz", scope: "staff" };

beforeEach(() => changeLanguage("en"));

describe("a line in English", () => {
  it.each<[string, Parameters<typeof line>[0]]>([
    ["Dana Ruiz signed in", { event: "sign_in" }],
    [
      "Someone not signed in tried to sign in as Dana Ruiz",
      { event: "sign_in", outcome: "failed", ...stranger, targetName: "Dana Ruiz" },
    ],
    [
      "Someone not signed in tried to sign in",
      { event: "sign_in", outcome: "limited", ...stranger },
    ],
    [
      "The password of Dana Ruiz was entered, and the second step was asked for",
      {
        event: "sign_in",
        outcome: "failed",
        ...stranger,
        targetName: "Dana Ruiz",
        detail: "totp_required",
      },
    ],
    [
      "The password of Dana Ruiz was entered with a wrong second step",
      {
        event: "sign_in",
        outcome: "failed",
        ...stranger,
        targetName: "Dana Ruiz",
        detail: "passkey_wrong",
      },
    ],
    [
      "Dana Ruiz tried to sign in",
      { event: "sign_in", outcome: "failed", targetName: "Dana Ruiz" },
    ],
    [
      "Dana Ruiz added the operator Maria Soto",
      { event: "operator_added", targetName: "Maria Soto" },
    ],
    ["Dana Ruiz added an operator", { event: "operator_added" }],
    ["Dana Ruiz deleted Excavator", { event: "equipment_deleted", targetName: "Excavator" }],
    ["Dana Ruiz retired a piece of equipment", { event: "equipment_retired" }],
    [
      "Dana Ruiz tried to set a new password for Maria Soto",
      { event: "password_reset", outcome: "failed", targetName: "Maria Soto", detail: "owner" },
    ],
    [
      "Dana Ruiz removed the personal password of Maria Soto, who now signs in with the shared one",
      {
        event: "password_reset",
        targetName: "Maria Soto",
        detail: "personal_password_cleared",
      },
    ],
    [
      "Hourmeter support (Sam Ortiz) viewed the shared operator password",
      { event: "operator_password_revealed_by_support", ...support },
    ],
    [
      "Hourmeter support changed the company's equipment limit",
      { event: "equipment_limit_set", ...support, actorName: "" },
    ],
    [
      "Hourmeter support (Sam Ortiz) set the company's equipment limit to ∞",
      { event: "equipment_limit_set", ...support, targetName: "∞" },
    ],
    [
      "A session of Maria Soto expired",
      { event: "session_expired", ...stranger, targetName: "Maria Soto" },
    ],
    ["A session expired", { event: "session_expired", ...stranger }],
    [
      "The password of Ana was recovered by answering the security questions",
      { event: "password_recovery", actorName: "Ana" },
    ],
    [
      "Someone tried to recover the password of someone",
      { event: "password_recovery", outcome: "failed", ...stranger },
    ],
    ["The plan changed", { event: "plan_changed", ...stranger }],
    ["A person without a name changed the plan", { event: "plan_changed", actorName: "" }],
    [
      "Dana Ruiz changed the plan to Enterprise",
      { event: "plan_changed", targetName: "enterprise", detail: "tier_changed" },
    ],
    [
      "The Professional plan is active",
      { event: "plan_changed", ...stranger, targetName: "professional", detail: "subscribed" },
    ],
    [
      "The renewal of the Basic plan could not be paid",
      { event: "plan_changed", ...stranger, targetName: "basic", detail: "renewal_failed" },
    ],
    [
      "The plan changed",
      { event: "plan_changed", ...stranger, targetName: "basic", detail: "brand_new" },
    ],
    ["The free trial ended", { event: "plan_changed", ...stranger, detail: "trial_ended" }],
    [
      "Hourmeter support (Sam Ortiz) set the company's plan to Professional",
      { event: "plan_set", ...support, targetName: "professional" },
    ],
    [
      "Hourmeter support (Sam Ortiz) extended the company's free trial to 30 days from that day",
      { event: "trial_extended", ...support, targetName: "30" },
    ],
    [
      "Hourmeter support (command line) exported data",
      { event: "export", ...support, actorId: undefined, actorName: "command line" },
    ],
    [
      "Hourmeter support (command line) deleted the company with all its data",
      { event: "company_deleted", ...support, actorId: undefined, actorName: "command line" },
    ],
    ["Dana Ruiz: robot started", { event: "robot_started" }],
    ["Dana Ruiz: robot started (R2)", { event: "robot_started", targetName: "R2" }],
  ])("%s", (sentence, event) => {
    expect(read(event)).toBe(sentence);
  });

  it("marks the names in it, and takes them as they are", () => {
    const name = "{{target}} $t(common.cancel) <b>";
    const pieces = sentenceOf(i18next.t, line({ event: "operator_added", targetName: name }));
    expect(pieces.map(({ text, name }) => [text, name])).toEqual([
      ["Dana Ruiz", true],
      [" added the operator ", false],
      [name, true],
    ]);
  });
});

describe("a line in Spanish", () => {
  it.each<[string, Parameters<typeof line>[0]]>([
    [
      "Dana Ruiz agregó a Maria Soto como operador",
      { event: "operator_added", targetName: "Maria Soto" },
    ],
    [
      "Alguien sin sesión iniciada intentó iniciar sesión",
      { event: "sign_in", outcome: "failed", ...stranger },
    ],
    [
      "La pausa terminó; la suscripción continúa",
      { event: "plan_changed", ...stranger, targetName: "basic", detail: "resumed" },
    ],
    [
      "Dana Ruiz contrató el plan Profesional",
      { event: "plan_changed", targetName: "professional", detail: "subscribed" },
    ],
    [
      "Soporte de Hourmeter (Sam Ortiz) vio la contraseña compartida de operadores",
      { event: "operator_password_revealed_by_support", ...support },
    ],
  ])("%s", async (sentence, event) => {
    await changeLanguage("es");
    expect(read(event)).toBe(sentence);
  });
});

describe.each(["en", "es"] as const)("every word in %s", (language) => {
  it.each(Object.keys(auditWords))(
    "%s is a complete sentence for all actors, targets and outcomes",
    async (event) => {
      await changeLanguage(language);
      for (const outcome of ["success", "failed", "limited", "new_one"]) {
        for (const who of [{}, stranger, support]) {
          for (const targetName of ["", "Maria Soto"]) {
            const text = read({ event, outcome, ...who, targetName });
            expect(text).not.toMatch(/[{}\u{E000}\u{E001}]|audit-log|\s{2}|^\s|^$/u);
          }
        }
      }
    },
  );
});

describe.each(["en", "es"] as const)("every change of the plan in %s", (language) => {
  const details = [
    "subscribed",
    "tier_changed",
    "interval_changed",
    "paused",
    "resumed",
    "canceled",
    "cancel_undone",
    "renewal_failed",
    "expired",
    "trial_canceled",
    "trial_ended",
  ];
  it("has a sentence of its own, which says it all", async () => {
    await changeLanguage(language);
    for (const who of [{}, stranger]) {
      const events = details.map((detail) =>
        line({ event: "plan_changed", targetName: "basic", detail, ...who }),
      );
      const texts = events.map((event) => plainSentence(i18next.t, event));
      expect(new Set(texts).size).toBe(details.length);
      for (const text of texts) expect(text).not.toMatch(/[{}]|basic\b|audit-log/);
      expect(events.map((event) => detailOf(i18next.t, event).text)).toEqual(
        details.map(() => null),
      );
    }
  });
});

describe("the details of a line", () => {
  it("quotes only the reason of support", () => {
    const reason = "Ticket 4711: owner asked by phone";
    const shown = (event: Parameters<typeof line>[0]) => detailOf(i18next.t, line(event));
    expect(shown({ ...support, detail: reason })).toEqual({ reason, text: null });
    const texts = (event: string, ...details: string[]) =>
      details.map((detail) => shown({ event, detail }).text);
    expect(texts("sign_in", "business_name", "", "brand_new_word", "constructor")).toEqual([
      "By business name",
      null,
      "Brand new word",
      "Constructor",
    ]);
    expect(texts("plan_changed", "brand_new")).toEqual(["Brand new"]);
    expect(texts("webhook_refused", "signature", "stale", "livemode", "form")).toEqual([
      "It was not signed by the provider",
      "It was too old",
      "It mixed test payments with real ones",
      "It could not be read",
    ]);
    // One word, two meanings.
    expect(texts("key_failure", "operator_password")).toEqual(["The shared operator password"]);
    expect(texts("password_reset", "operator_password")).toEqual([
      "It was the shared operator password",
    ]);
  });

  it("counts printed cards", () => {
    const event = (detail: string) => line({ event: "card_codes_created", detail });
    const text = (detail: string) => detailOf(i18next.t, event(detail)).text;
    expect(plainSentence(i18next.t, event("2"))).toBe(
      "Dana Ruiz printed access cards with one-time codes",
    );
    expect([text("1"), text("12")]).toEqual(["1 card", "12 cards"]);
  });

  it("names the new settings", () => {
    const text = (detail: string) =>
      detailOf(i18next.t, line({ event: "settings_changed", detail })).text;
    expect(text("time_zone=America/Chicago auto_apply_updates=off")).toBe(
      "Time zone: America/Chicago · Operator updates wait under Review",
    );
    expect(text("earlier_warnings=on fuel_unit=litres stale_after_days=7")).toBe(
      "Earlier warnings on · Fuel in liters · Meters read at least every 7 days",
    );
    expect(text("stale_after_days=0")).toBe("No limit for the age of readings");
    expect(text("")).toBeNull();
  });

  it("shows the request only if the event is about it", () => {
    const text = (event: string, detail: string) =>
      detailOf(i18next.t, line({ event, detail })).text;
    expect(text("export", "GET /api/equipment-history/export")).toBe("Equipment history");
    expect(text("permission_denied", "BillingService/GetSubscription")).toBe(
      "To view the subscription",
    );
    expect(text("sign_in", "POST /api/auth/login")).toBeNull();
  });

  it.each([
    ["EquipmentService/GetEquipment", "To view equipment"],
    ["GET /api/equipment/{id}", "To view equipment"],
    ["EquipmentService/RetireEquipment", "To change retired equipment"],
    ["DELETE /api/employees/{id}", "To change operators and managers"],
    ["AccountsService/UpdateCompanySettings", "To change company settings"],
    ["AccountsService/RevealOperatorPassword", "To view the shared operator password"],
    ["AccountsService/ListAccounts", "To view the accounts of all companies"],
    ["PATCH /api/user/profile", "To change an account or its sign-in"],
    ["GET /api/new/export", "To view another part of Hourmeter"],
  ])("puts the request %s in words", (detail, words) => {
    const event = line({ event: "unknown_object", detail });
    expect(detailOf(i18next.t, event).text).toBe(words);
  });

  it("names who did it", () => {
    expect(actorText(i18next.t, line({}))).toBe("Dana Ruiz");
    expect(actorText(i18next.t, line(stranger))).toBe("Someone not signed in");
    expect(actorText(i18next.t, line(support))).toBe("Hourmeter support (Sam Ortiz)");
    const terminal = { ...support, actorName: "command line" };
    expect(actorText(i18next.getFixedT("es"), line(terminal))).toBe(
      "Soporte de Hourmeter (línea de comandos)",
    );
    expect(actorText(i18next.t, line({ ...stranger, event: "plan_changed" }))).toBe(
      "Payment provider or scheduled change",
    );
  });
});

describe("the company's clock", () => {
  const at = "2026-11-20T05:15:07.123456Z";
  it("is the one of its zone", () => {
    const chicago = zonedTime("en-US", "America/Chicago");
    expect(chicago.day(at)).toBe("Nov 19, 2026");
    expect(chicago.time(at).replaceAll("\u202f", " ")).toBe("11:15:07 PM CST");
    expect(chicago.exact(at)).toContain("CST");
    expect(chicago.sortable(at)).toBe("2026-11-19 23:15:07");
    expect(zonedTime("en-US", "Asia/Kathmandu").sortable(at)).toBe("2026-11-20 11:00:07");
  });

  it("is UTC if the browser does not know the zone", () => {
    expect(zonedTime("en-US", "Mars/Base").sortable(at)).toBe("2026-11-20 05:15:07");
  });
});
