import { create, type MessageInitShape } from "@bufbuild/protobuf";
import { Code, createRouterTransport } from "@connectrpc/connect";
import { act, fireEvent, screen, waitFor, within } from "@testing-library/react";
import { describe, expect, it } from "vitest";
import { NotificationsService } from "#/api/gen/hourmeter/notifications/v1/notifications_pb";
import { PushService } from "#/api/gen/hourmeter/notifications/v1/push_pb";
import {
  SettingsSchema,
  SettingsService,
  type Settings,
} from "#/api/gen/hourmeter/notifications/v1/settings_pb";
import {
  SmsService,
  type GetSmsNumberResponseSchema,
} from "#/api/gen/hourmeter/notifications/v1/sms_pb";
import { changeLanguage } from "#/i18n";
import { currentToast } from "#/shared/toast/store";
import { openDialog } from "#/test/open-dialog";
import { fieldRefusal, refusal } from "#/test/refusal";
import { operator, owner, renderApp, stubRest } from "#/test/render-app";

type Method = "get" | "set" | "verify" | "remove" | "settings" | "save";

const usual = create(SettingsSchema, {
  flaggedMail: true,
  flaggedPush: true,
  statusPush: false,
  quietHours: { start: 1260, end: 360 },
});

interface Opened {
  user?: { id: string };
  stored?: MessageInitShape<typeof GetSmsNumberResponseSchema>;
  settings?: Settings;
  refused?: Method[];
}

const full = refusal(Code.Internal, "", "The disk is full.");

/** The page where text messages are sent; the person has no number. */
async function open({ user = owner, stored = {}, settings = usual, refused = [] }: Opened = {}) {
  stubRest({ "GET /api/auth/user": { status: 200, body: user } });
  const state = {
    number: { available: true, number: "", verified: false, ...stored },
    settings,
    fails: new Map(refused.map((method) => [method, full])),
    /** What was sent to the server. */
    set: [] as unknown[],
    codes: [] as string[],
    saved: [] as unknown[],
  };
  const check = (method: Method) => {
    const error = state.fails.get(method);
    if (error) throw error;
  };
  const transport = createRouterTransport(({ service }) => {
    service(NotificationsService, { countUnread: () => ({}), listNotifications: () => ({}) });
    service(PushService, { getPushKey: () => ({}) });
    service(SettingsService, {
      getWatch: () => ({}),
      getSettings: () => {
        check("settings");
        return { settings: state.settings };
      },
      setSettings: ({ settings: next }) => {
        state.saved.push(next);
        check("save");
        if (next) state.settings = next;
        return {};
      },
    });
    service(SmsService, {
      getSmsNumber: () => {
        check("get");
        return state.number;
      },
      setSmsNumber: ({ number, language }) => {
        state.set.push([number, language]);
        check("set");
        const digits = `+${number.replaceAll(/\D/g, "")}`;
        state.number = { available: true, number: digits, verified: false };
        return {};
      },
      verifySmsNumber: ({ code }) => {
        state.codes.push(code);
        check("verify");
        state.number.verified = true;
        return {};
      },
      removeSmsNumber: () => {
        check("remove");
        state.number = { available: true, number: "", verified: false };
        return {};
      },
    });
  });
  const { queryClient } = await renderApp("/notifications", transport);
  await screen.findByRole("region", { name: /^(Machines that you watch|Equipos que sigues)$/ });
  const settled = () => waitFor(() => expect(queryClient.isFetching()).toBe(0));
  return { state, settled };
}

const unverified = { number: "+18305550199" };
const verified = { number: "+18305550199", verified: true };

const row = () => screen.queryByRole("region", { name: "Text messages" });
const inRow = () => within(screen.getByRole("region", { name: "Text messages" }));
const says = (text: string | RegExp) => screen.findByText(text);
const press = async (name: string) => fireEvent.click(await screen.findByRole("button", { name }));
const field = (label: string) => screen.findByLabelText<HTMLInputElement>(label);
const type = async (label: string, value: string) =>
  fireEvent.change(await field(label), { target: { value } });
const box = (name: string) => screen.findByRole<HTMLInputElement>("checkbox", { name });
const boxes = () =>
  screen
    .getAllByRole<HTMLInputElement>("checkbox")
    .map(({ labels, checked }) => [labels?.[0]?.textContent, checked]);
const isToasted = (title: string) => waitFor(() => expect(currentToast()?.title).toBe(title));

/** Adds the number and enters a code. */
async function addAndVerify() {
  await press("Add number");
  await type("Mobile number", "+1 830 555 0199");
  await press("Send code");
  await openDialog("Enter the code");
  await type("Code", "123456");
  await press("Verify");
}

describe("text messages", () => {
  it("are not offered where none are sent", async () => {
    const { settled } = await open({ stored: { available: false } });
    await settled();
    expect(row()).toBeNull();
  });

  it("say that the number could not be loaded", async () => {
    const { state } = await open({ refused: ["get"] });
    await says("Your number for text messages could not be loaded.");
    state.fails.clear();
    await press("Try again");
    expect(await says(/^Text messages reach you without internet/)).toBeTruthy();
  });

  it("have no kind until one is chosen", async () => {
    await open({ stored: verified });
    expect(await says("+1 830 555 0199. Choose in Settings what is sent there.")).toBeTruthy();
  });

  it("say what is sent", async () => {
    const settings = create(SettingsSchema, { flaggedSms: true, statusSms: true });
    const { settled } = await open({ stored: verified, settings });
    const text =
      "+1 830 555 0199 · Flagged reports · A machine can't be used, or can be used again";
    await says(text);
    await settled();
    expect(inRow().getByRole("button", { name: "Change" })).toBeTruthy();
  });

  it("are chosen in settings that are loaded again", async () => {
    const { state } = await open({ stored: verified });
    await says(/Choose in Settings/);
    state.settings = create(SettingsSchema, { statusSms: true });
    await press("Settings");
    expect((await box("A machine can't be used, or can be used again: SMS")).checked).toBe(true);
    fireEvent.click(await box("Flagged reports: SMS"));
    await press("Save");
    expect(await says(/^\+1 830 555 0199 · Flagged reports · A machine/)).toBeTruthy();
  });

  it("show the number alone if the settings can't be loaded", async () => {
    const { settled } = await open({ stored: verified, refused: ["settings"] });
    await says("+1 830 555 0199");
    await settled();
    expect(screen.queryByText(/Choose in Settings/)).toBeNull();
  });
});

describe("a number for text messages", () => {
  it("is added, verified and asked what is sent there", async () => {
    const { state } = await open();
    await press("Add number");
    const dialog = await openDialog("Text messages");
    expect(dialog.getByText(/use it for nothing else; carrier rates may apply/)).toBeTruthy();
    const number = await field("Mobile number");
    expect([number.type, number.autocomplete, number.inputMode]).toEqual(["tel", "tel", "tel"]);
    await type("Mobile number", " +1 (830) 555-0199 ");
    await press("Send code");
    await says(/^We sent a code of six digits to \+1 \(830\) 555-0199\./);
    await openDialog("Enter the code");
    const code = await field("Code");
    expect([code.autocomplete, code.inputMode, code.maxLength]).toEqual([
      "one-time-code",
      "numeric",
      6,
    ]);
    await type("Code", "123456");
    await press("Verify");
    await says("+1 (830) 555-0199 is verified. Choose what is sent there.");
    await openDialog("What we text you");
    expect(boxes()).toEqual([
      ["Flagged reports", true],
      ["A machine can't be used, or can be used again", true],
    ]);
    fireEvent.click(await box("A machine can't be used, or can be used again"));
    await press("Save");
    await isToasted("Notification settings updated");
    expect(screen.queryByRole("dialog")).toBeNull();
    await says("+1 830 555 0199 · Flagged reports");
    expect(state.set).toEqual([["+1 (830) 555-0199", "en"]]);
    expect(state.codes).toEqual(["123456"]);
    expect(state.saved).toEqual([
      create(SettingsSchema, { ...usual, flaggedSms: true, returnedSms: false, statusSms: false }),
    ]);
  });

  it("of an operator gets returned reports and machines, in their language", async () => {
    const { state } = await open({ user: operator });
    await act(() => changeLanguage("es"));
    await press("Agregar número");
    await type("Número de celular", "+52 81 5555 0199");
    await press("Enviar código");
    await type("Código", "123456");
    await press("Verificar");
    await openDialog("Qué te enviamos");
    expect(boxes()).toEqual([
      ["Reportes que te regresaron", true],
      ["Un equipo no se puede usar, o se puede usar otra vez", true],
    ]);
    await press("Guardar");
    await says(/^\+52 81 5555 0199 · Reportes que te regresaron · Un equipo/);
    expect(state.set).toEqual([["+52 81 5555 0199", "es"]]);
    expect(state.saved).toEqual([
      create(SettingsSchema, { ...usual, flaggedSms: false, returnedSms: true, statusSms: true }),
    ]);
  });

  it("keeps the choice if it can't be saved", async () => {
    const { state } = await open({ refused: ["save"] });
    await addAndVerify();
    fireEvent.click(await box("Flagged reports"));
    await press("Save");
    expect((await screen.findByRole("alert")).textContent).toBe("The disk is full.");
    expect((await box("Flagged reports")).checked).toBe(false);
    state.fails.clear();
    await press("Save");
    await isToasted("Notification settings updated");
    expect(state.settings).toMatchObject({ flaggedSms: false, statusSms: true });
  });

  it("is required", async () => {
    const { state } = await open();
    await press("Add number");
    await press("Send code");
    await says("Please fill in all required fields.");
    expect(document.activeElement).toBe(await field("Mobile number"));
    expect(state.set).toEqual([]);
  });

  it("that is not one is refused at the field", async () => {
    const { state } = await open();
    const invalid = fieldRefusal("number", "Enter a number.", "SMS_NUMBER_INVALID");
    state.fails.set("set", invalid);
    await press("Add number");
    await type("Mobile number", "830 555 0199");
    await press("Send code");
    await waitFor(async () =>
      expect((await field("Mobile number")).getAttribute("aria-invalid")).toBe("true"),
    );
    await says("Enter a mobile number with the country code, such as +1 830 555 0199.");
  });

  it("that gets no code says why", async () => {
    const { state } = await open();
    state.fails.set("set", refusal(Code.FailedPrecondition, "SMS_CODES_USED_UP"));
    await press("Add number");
    await type("Mobile number", "+1 830 555 0199");
    await press("Send code");
    const alert = await screen.findByRole("alert");
    expect(alert.textContent).toBe("No more codes can be sent today. Try again tomorrow.");
  });

  it("that is verified is changed, and its kinds stay", async () => {
    const settings = create(SettingsSchema, { statusSms: true });
    const { state } = await open({ stored: verified, settings });
    await says(/^\+1 830 555 0199/);
    fireEvent.click(inRow().getByRole("button", { name: "Change" }));
    expect((await field("Mobile number")).value).toBe("+1 830 555 0199");
    await type("Mobile number", "+1 830 555 0100");
    await press("Send code");
    await type("Code", "123456");
    await press("Verify");
    await isToasted("Number verified");
    expect(screen.queryByRole("dialog")).toBeNull();
    await says("+1 830 555 0100 · A machine can't be used, or can be used again");
    expect(state.saved).toEqual([]);
  });

  it("is removed after a question", async () => {
    await open({ stored: verified });
    await press("Remove");
    const dialog = await openDialog("Remove this number?", "alertdialog");
    expect(dialog.getByText("No more text messages are sent to +1 830 555 0199.")).toBeTruthy();
    fireEvent.click(dialog.getByRole("button", { name: "Remove" }));
    await isToasted("Number removed");
    await says(/^Text messages reach you without internet/);
  });

  it("stays if the server can't remove it", async () => {
    await open({ stored: unverified, refused: ["remove"] });
    await press("Remove");
    const dialog = await openDialog("Remove this number?", "alertdialog");
    fireEvent.click(dialog.getByRole("button", { name: "Remove" }));
    await isToasted("The number could not be removed");
    expect(await says("We sent a code to +1 830 555 0199.")).toBeTruthy();
  });
});

describe("a code", () => {
  /** The question for the code that was sent before. */
  async function enter(refused?: ReturnType<typeof refusal>) {
    const opened = await open({ stored: unverified });
    await says("We sent a code to +1 830 555 0199.");
    if (refused) opened.state.fails.set("verify", refused);
    await press("Enter code");
    await openDialog("Enter the code");
    return opened;
  }

  it("has six digits", async () => {
    const { state } = await enter();
    await type("Code", "12345");
    await press("Verify");
    await says("Enter the six digits of the code.");
    expect(state.codes).toEqual([]);
  });

  it("that is wrong is refused at the field", async () => {
    const { state } = await enter(fieldRefusal("code", "Wrong.", "SMS_CODE_WRONG"));
    await type("Code", "123456");
    await press("Verify");
    await waitFor(async () =>
      expect((await field("Code")).getAttribute("aria-invalid")).toBe("true"),
    );
    await says("The code is wrong. Check the last text message.");
    state.fails.clear();
    await type("Code", "654321");
    await press("Verify");
    await openDialog("What we text you");
    expect(state.codes).toEqual(["123456", "654321"]);
  });

  it("that has expired is replaced", async () => {
    const { state } = await enter(refusal(Code.FailedPrecondition, "SMS_CODE_EXPIRED"));
    await type("Code", "123456");
    await press("Verify");
    const alert = await screen.findByRole("alert");
    expect(alert.textContent).toBe("The code no longer works. Send another one.");
    screen.getByRole("button", { name: "Send another code" }).focus();
    await press("Send another code");
    await says("We sent another code.");
    expect(screen.queryByRole("alert")).toBeNull();
    const code = await field("Code");
    expect([code.value, document.activeElement]).toEqual(["", code]);
    expect(state.set).toEqual([["+1 830 555 0199", "en"]]);
  });

  it("is not sent again after the last one of the day", async () => {
    const { state } = await enter();
    state.fails.set("set", refusal(Code.FailedPrecondition, "SMS_CODES_USED_UP"));
    await press("Send another code");
    const alert = await screen.findByRole("alert");
    expect(alert.textContent).toBe("No more codes can be sent today. Try again tomorrow.");
    expect(screen.queryByText("We sent another code.")).toBeNull();
  });

  it("can go to another number", async () => {
    const { state } = await enter();
    await press("Change number");
    await type("Mobile number", "+1 830 555 0100");
    await press("Send code");
    await says(/^We sent a code of six digits to \+1 830 555 0100\./);
    expect(state.set).toEqual([["+1 830 555 0100", "en"]]);
  });
});
