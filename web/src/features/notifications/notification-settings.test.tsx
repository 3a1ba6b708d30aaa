import { create, type MessageInitShape } from "@bufbuild/protobuf";
import { Code, createRouterTransport } from "@connectrpc/connect";
import { act, fireEvent, screen, waitFor } from "@testing-library/react";
import { describe, expect, it } from "vitest";
import { AccountsService } from "#/api/gen/hourmeter/accounts/v1/accounts_pb";
import { NotificationsService } from "#/api/gen/hourmeter/notifications/v1/notifications_pb";
import { PushService } from "#/api/gen/hourmeter/notifications/v1/push_pb";
import { SettingsSchema, SettingsService } from "#/api/gen/hourmeter/notifications/v1/settings_pb";
import {
  SmsService,
  type GetSmsNumberResponseSchema,
} from "#/api/gen/hourmeter/notifications/v1/sms_pb";
import { changeLanguage } from "#/i18n";
import { currentToast } from "#/shared/toast/store";
import { openDialog } from "#/test/open-dialog";
import { stubPushBrowser } from "#/test/push-browser";
import { refusal } from "#/test/refusal";
import { operator, owner, renderApp, stubRest } from "#/test/render-app";

type Stored = MessageInitShape<typeof SettingsSchema>;

const usual: Stored = { flaggedPush: true, returnedPush: true, statusPush: false };
const machines = "A machine can't be used, or can be used again";
const unavailable = refusal(Code.Internal, "", "The disk is full.");

interface Opened {
  user?: { id: string };
  stored?: Stored;
  emailVerified?: boolean;
  sms?: MessageInitShape<typeof GetSmsNumberResponseSchema>;
  refused?: boolean;
}

/** The dialog, opened by the button of the page. */
async function open({
  user = owner,
  stored = usual,
  emailVerified = true,
  sms = {},
  refused = false,
}: Opened = {}) {
  stubRest({ "GET /api/auth/user": { status: 200, body: user } });
  const state = { refused, saved: [] as unknown[] };
  const check = () => {
    if (state.refused) throw unavailable;
  };
  const transport = createRouterTransport(({ service }) => {
    service(NotificationsService, { countUnread: () => ({}), listNotifications: () => ({}) });
    service(AccountsService, { getCurrentUser: () => ({ user: { emailVerified } }) });
    service(PushService, { getPushKey: () => ({ publicKey: "key" }) });
    service(SmsService, { getSmsNumber: () => sms });
    service(SettingsService, {
      getWatch: () => ({}),
      getSettings: () => {
        check();
        return { settings: stored };
      },
      setSettings: ({ settings }) => {
        state.saved.push(settings);
        check();
        return {};
      },
    });
  });
  const app = await renderApp("/notifications", transport);
  fireEvent.click(await screen.findByRole("button", { name: "Settings" }));
  return { ...app, state };
}

const box = (name: string) => screen.findByRole<HTMLInputElement>("checkbox", { name });
const checked = (...names: string[]) =>
  names.map((name) => screen.getByRole<HTMLInputElement>("checkbox", { name }).checked);
const toggle = async (name: string) => fireEvent.click(await box(name));
const press = (name: string) => fireEvent.click(screen.getByRole("button", { name }));
const time = (label: string) => screen.getByLabelText<HTMLInputElement>(label);
const type = (label: string, value: string) => fireEvent.change(time(label), { target: { value } });

describe("notification settings of an owner", () => {
  it("show what is stored", async () => {
    await open();
    await box("Flagged reports: Email");
    const dialog = await openDialog("How you are notified");
    expect(checked("Flagged reports: Email", "Flagged reports: Devices", "Quiet hours")).toEqual([
      false,
      true,
      false,
    ]);
    expect(dialog.queryByText(/^Reports returned/)).toBeNull();
    expect(dialog.queryByText(/Turn them on/)).toBeNull();
    const row = (name: string) => dialog.getByRole("row", { name });
    expect(
      row("Flagged reports Always Flagged reports: Email Flagged reports: Devices"),
    ).toBeTruthy();
    expect(row("Account security Always Always sent Never")).toBeTruthy();
    expect(row("Your plan Always Always sent Never")).toBeTruthy();
    expect(row("Morning digest Never Days and time in your profile")).toBeTruthy();
    expect(dialog.getByText(/one is sent 5 minutes after the first/)).toBeTruthy();
    const digest = dialog.getByRole("link", { name: "Days and time in your profile" });
    expect(digest.getAttribute("href")).toBe("/profile#digest");
    expect(screen.queryByLabelText("From")).toBeNull();
  });

  it("are saved whole", async () => {
    const { state } = await open();
    await toggle("Flagged reports: Email");
    await toggle("Flagged reports: Devices");
    press("Save");
    await waitFor(() => expect(currentToast()?.title).toBe("Notification settings updated"));
    expect(state.saved).toEqual([
      create(SettingsSchema, { flaggedMail: true, returnedPush: true, statusPush: false }),
    ]);
    expect(screen.queryByRole("dialog")).toBeNull();
  });

  it("push nothing about the status of machines until it is chosen", async () => {
    const { state } = await open();
    await toggle(`${machines}: Devices`);
    const row = `${machines} Always Never ${machines}: Devices`;
    expect((await openDialog()).getByRole("row", { name: row })).toBeTruthy();
    press("Save");
    await waitFor(() =>
      expect(state.saved).toEqual([create(SettingsSchema, { ...usual, statusPush: true })]),
    );
  });

  it("are not saved by Cancel", async () => {
    const { state } = await open();
    await toggle("Flagged reports: Email");
    press("Cancel");
    expect(screen.queryByRole("dialog")).toBeNull();
    expect(state.saved).toEqual([]);
  });

  it("keep the choice after a failure", async () => {
    const { state } = await open();
    await toggle("Flagged reports: Email");
    state.refused = true;
    press("Save");
    const alert = await screen.findByRole("alert");
    expect(alert.textContent).toBe("The disk is full.");
    expect((await box("Flagged reports: Email")).checked).toBe(true);
    state.refused = false;
    press("Save");
    await waitFor(() => expect(currentToast()?.tone).toBe("success"));
    expect(state.saved).toHaveLength(2);
  });

  it("can be loaded again after a failure", async () => {
    const { state } = await open({ refused: true });
    const alert = await screen.findByRole("alert");
    expect(alert.textContent).toContain("The notification settings could not be loaded.");
    state.refused = false;
    press("Try again");
    expect(await box("Flagged reports: Email")).toBeTruthy();
  });

  it("have no email without a verified address", async () => {
    const { state } = await open({ emailVerified: false });
    const email = await box("Flagged reports: Email");
    expect(email.disabled).toBe(true);
    const reason = document.getElementById(email.getAttribute("aria-describedby") ?? "");
    expect(reason?.textContent).toBe("Emails need a verified address. Go to profile");
    const link = screen.getByRole("link", { name: "Go to profile" });
    expect(link.getAttribute("href")).toBe("/profile");
    await toggle("Flagged reports: Devices");
    press("Save");
    await waitFor(() =>
      expect(state.saved).toEqual([
        create(SettingsSchema, { returnedPush: true, statusPush: false }),
      ]),
    );
  });

  it("are in Spanish too", async () => {
    await open();
    await box("Flagged reports: Email");
    await act(() => changeLanguage("es"));
    await openDialog("Cómo te avisamos");
    await toggle("Horas de silencio");
    expect(checked("Reportes marcados: Correo", "Reportes marcados: Dispositivos")).toEqual([
      false,
      true,
    ]);
    expect(time("Desde").value).toBe("21:00");
  });
});

describe("quiet hours", () => {
  it("are at night at first, and are saved as minutes", async () => {
    const { state } = await open();
    await toggle("Quiet hours");
    await openDialog("How you are notified");
    expect([time("From").value, time("Until").value]).toEqual(["21:00", "06:00"]);
    type("From", "22:30");
    press("Save");
    await waitFor(() =>
      expect(state.saved).toEqual([
        create(SettingsSchema, { ...usual, quietHours: { start: 1350, end: 360 } }),
      ]),
    );
  });

  it("that are stored are shown, and can be turned off", async () => {
    const { state } = await open({ stored: { ...usual, quietHours: { start: 0, end: 5 } } });
    expect((await box("Quiet hours")).checked).toBe(true);
    expect([time("From").value, time("Until").value]).toEqual(["00:00", "00:05"]);
    type("From", "");
    await toggle("Quiet hours");
    press("Save");
    await waitFor(() => expect(state.saved).toEqual([create(SettingsSchema, usual)]));
  });

  it("need two different times", async () => {
    const { state } = await open();
    await toggle("Quiet hours");
    type("Until", "21:00");
    press("Save");
    expect(await screen.findByText("Must differ from the start.")).toBeTruthy();
    expect(document.activeElement).toBe(time("Until"));
    type("From", "");
    press("Save");
    expect(await screen.findByText("Please fill in all required fields.")).toBeTruthy();
    expect(state.saved).toEqual([]);
  });
});

it("notification settings of an operator are about returned reports and machines, on devices only", async () => {
  const stored = { ...usual, flaggedMail: true, statusPush: true };
  const { state } = await open({ user: operator, stored });
  await toggle("Reports returned to you: Devices");
  const dialog = await openDialog("How you are notified");
  expect(
    checked("Reports returned to you: Devices", `${machines}: Devices`, "Quiet hours"),
  ).toEqual([false, true, false]);
  expect(dialog.getAllByRole("checkbox")).toHaveLength(3);
  expect(dialog.queryByText("Email")).toBeNull();
  expect(dialog.queryByText(/one is sent 5 minutes after/)).toBeNull();
  expect(dialog.getByText(/^Notifications on your devices wait/)).toBeTruthy();
  await toggle(`${machines}: Devices`);
  press("Save");
  await waitFor(() =>
    expect(state.saved).toEqual([
      create(SettingsSchema, { flaggedMail: true, flaggedPush: true, statusPush: false }),
    ]),
  );
});

it("notification settings say that this device is off", async () => {
  stubPushBrowser();
  await open();
  expect(await screen.findByText(/Turn them on at the top of this page/)).toBeTruthy();
});

describe("the column of text messages", () => {
  const flagged = "Flagged reports: SMS";
  const verified = { available: true, number: "+18305550199", verified: true };
  const note = "SMS: add and verify a number first, at the top of this page.";

  it("is not there where none are sent", async () => {
    await open();
    await box("Flagged reports: Email");
    const dialog = await openDialog();
    expect(dialog.queryByRole("columnheader", { name: "SMS" })).toBeNull();
    expect(dialog.queryByRole("checkbox", { name: /SMS/ })).toBeNull();
    expect(dialog.queryByText(/Text messages wait/)).toBeNull();
  });

  it("has the choices of an owner", async () => {
    const stored = { ...usual, flaggedSms: true, returnedSms: true };
    const { state } = await open({ sms: verified, stored });
    await box(flagged);
    const dialog = await openDialog();
    expect(dialog.getAllByRole("columnheader").map(({ textContent }) => textContent)).toEqual([
      "What",
      "List",
      "Email",
      "Devices",
      "SMS",
    ]);
    expect(dialog.getAllByRole("checkbox", { name: /SMS/ })).toHaveLength(2);
    expect(checked(flagged, `${machines}: SMS`)).toEqual([true, false]);
    expect(
      dialog.getByRole("row", { name: "Your plan Always Always sent Never Never" }),
    ).toBeTruthy();
    expect(dialog.queryByText(note)).toBeNull();
    expect(dialog.getByText(/Text messages wait, too\.$/)).toBeTruthy();
    await toggle(flagged);
    await toggle(`${machines}: SMS`);
    press("Save");
    await waitFor(() =>
      expect(state.saved).toEqual([
        create(SettingsSchema, { ...stored, flaggedSms: false, statusSms: true }),
      ]),
    );
  });

  it("has the choices of an operator", async () => {
    const { state } = await open({ user: operator, sms: verified });
    await toggle("Reports returned to you: SMS");
    const dialog = await openDialog();
    expect(dialog.getAllByRole("checkbox", { name: /SMS/ })).toHaveLength(2);
    press("Save");
    const sms = { flaggedSms: false, returnedSms: true, statusSms: false };
    await waitFor(() =>
      expect(state.saved).toEqual([create(SettingsSchema, { ...usual, ...sms })]),
    );
  });

  it.each([
    ["no number", { available: true }],
    ["a number that is not verified", { ...verified, verified: false }],
  ])("has no choice with %s", async (_, sms) => {
    const { state } = await open({ sms, stored: { ...usual, statusSms: true } });
    const choice = await box(flagged);
    expect(choice.disabled).toBe(true);
    const reason = document.getElementById(choice.getAttribute("aria-describedby") ?? "");
    expect(reason?.textContent).toBe(note);
    press("Save");
    const kept = { flaggedSms: false, returnedSms: false, statusSms: true };
    await waitFor(() =>
      expect(state.saved).toEqual([create(SettingsSchema, { ...usual, ...kept })]),
    );
  });
});
