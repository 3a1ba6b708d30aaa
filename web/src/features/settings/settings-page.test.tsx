import type { MessageInitShape } from "@bufbuild/protobuf";
import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import { Code, ConnectError, createRouterTransport } from "@connectrpc/connect";
import { fireEvent, screen, waitFor, within } from "@testing-library/react";
import { describe, expect, it } from "vitest";
import {
  AccountsService,
  FuelUnit,
  type SecondFactorSchema,
} from "#/api/gen/hourmeter/accounts/v1/accounts_pb";
import { settlePasswordRequest } from "#/session/reauth";
import { setContrast } from "#/shared/contrast";
import { currentToast } from "#/shared/toast/store";
import { expectFormError } from "#/test/form-error";
import { reauthRequired } from "#/test/refusal";
import { owner, renderApp, stubRest } from "#/test/render-app";

interface Stored {
  companyName: string;
  timeZone: string;
  autoApplyUpdates: boolean;
  earlierWarnings: boolean;
  fuelUnit: FuelUnit;
  staleAfterDays: number;
  operatorPasswordSet: boolean;
  operatorPasswordStale: boolean;
}

type More = Partial<Stored> & {
  role?: string;
  factor?: MessageInitShape<typeof SecondFactorSchema>;
  factorFails?: boolean;
};

async function open(more: More = {}, loadFails = false) {
  const body = { ...owner, role: more.role ?? "owner" };
  stubRest({ "GET /api/auth/user": { status: 200, body } });
  const settings = {
    companyName: "Acme Earthworks",
    timeZone: "America/Chicago",
    autoApplyUpdates: false,
    earlierWarnings: false,
    fuelUnit: FuelUnit.GALLONS,
    staleAfterDays: 14,
    operatorPasswordSet: true,
    operatorPasswordStale: false,
    ...more,
  };
  const state = { refusal: null as ConnectError | null, loadFails };
  const calls: object[] = [];
  let factor: MessageInitShape<typeof SecondFactorSchema> = more.factor ?? {};
  const transport = createRouterTransport(({ service }) => {
    service(AccountsService, {
      getSecondFactor: () => {
        if (more.factorFails) throw new ConnectError("Not now.", Code.Internal);
        return { secondFactor: factor };
      },
      setSecondFactorRequired: ({ required }) => {
        calls.push({ required });
        if (state.refusal) throw state.refusal;
        factor = { ...factor, required };
        return { secondFactor: factor };
      },
      getCompanySettings: () => {
        if (state.loadFails) throw new ConnectError("Not now.", Code.Internal);
        return { settings };
      },
      updateCompanySettings: (request) => {
        const { companyName, timeZone, autoApplyUpdates, earlierWarnings } = request;
        const { operatorPassword, staleAfterDays } = request;
        const sent = {
          companyName,
          timeZone,
          autoApplyUpdates,
          earlierWarnings,
          operatorPassword,
          fuelUnit: request.fuelUnit === FuelUnit.UNSPECIFIED ? undefined : request.fuelUnit,
          staleAfterDays,
        };
        const change = Object.fromEntries(
          Object.entries(sent).filter(([, value]) => value !== undefined),
        );
        calls.push(change);
        if (state.refusal) throw state.refusal;
        Object.assign(settings, change);
        return { settings };
      },
    });
  });
  const app = await renderApp("/settings", transport);
  if (!loadFails) {
    await screen.findByRole("textbox", { name: "Company Name" });
  }
  return { state, calls, ...app };
}

const nameField = () => screen.getByRole<HTMLInputElement>("textbox", { name: "Company Name" });
const zoneField = () => screen.getByRole<HTMLInputElement>("combobox", { name: "Time zone" });
const rename = (value: string) => fireEvent.change(nameField(), { target: { value } });
const save = () => fireEvent.click(screen.getByRole("button", { name: "Save" }));

describe("the company", () => {
  it("sends only what differs, once something does", async () => {
    const { calls } = await open();
    expect(screen.getByRole("button", { name: "Save" }).getAttribute("aria-disabled")).toBe("true");
    save();
    rename("  Acme Site Works ");
    save();
    await waitFor(() => expect(currentToast()?.title).toBe("Settings Updated"));
    expect(calls).toEqual([{ companyName: "Acme Site Works" }]);
    await waitFor(() =>
      expect(screen.getByRole("button", { name: "Save" }).getAttribute("aria-disabled")).toBe(
        "true",
      ),
    );
    expect(nameField().value).toBe("Acme Site Works");
  });

  it("requires a name of two characters", async () => {
    const { calls } = await open();
    rename(" A ");
    save();
    expect(await screen.findByText("Business name must be at least 2 characters")).toBeTruthy();
    expect(calls).toEqual([]);
  });

  it("shows a taken name at its field and keeps typed values", async () => {
    const { state } = await open();
    state.refusal = new ConnectError("That business name is already in use.", Code.AlreadyExists);
    rename("Taken");
    save();
    await waitFor(() => expect(nameField().getAttribute("aria-invalid")).toBe("true"));
    expect(currentToast()?.title).toBe("Failed to Update Settings");
    expect(nameField().value).toBe("Taken");
    const note = document.getElementById(
      nameField().getAttribute("aria-describedby")?.split(" ").at(-1) ?? "",
    );
    expect(note?.textContent).toBe("That business name is already in use.");
  });

  it("asks for the password when the sign-in is too old, and repeats the call", async () => {
    const { calls, state } = await open();
    state.refusal = reauthRequired();
    rename("Acme Site Works");
    save();
    await waitFor(() => expect(calls).toHaveLength(1));
    state.refusal = null;
    await waitFor(() => {
      settlePasswordRequest(true);
      expect(currentToast()?.title).toBe("Settings Updated");
    });
    expect(calls).toEqual([{ companyName: "Acme Site Works" }, { companyName: "Acme Site Works" }]);
  });

  it("saves the fuel unit and the days without a reading", async () => {
    const { calls } = await open();
    fireEvent.change(screen.getByRole("combobox", { name: "Fuel unit" }), {
      target: { value: "litres" },
    });
    const days = screen.getByRole("textbox", { name: "Read meters at least every" });
    fireEvent.change(days, { target: { value: "366" } });
    save();
    const text = "Please enter a whole number of days from 0 to 365.";
    expect(await screen.findByText(text)).toBeTruthy();
    fireEvent.change(days, { target: { value: "2.5" } });
    save();
    expect(await screen.findByText(text)).toBeTruthy();
    expect(days).toHaveProperty("value", "2.5");
    fireEvent.change(days, { target: { value: "0" } });
    save();
    const change = { fuelUnit: FuelUnit.LITRES, staleAfterDays: 0 };
    await waitFor(() => expect(calls).toEqual([change]));
  });

  it("finds a time zone by typing and shows the time there", async () => {
    const { calls } = await open();
    expect(screen.getByText(/^It is .+ there now\.$/)).toBeTruthy();
    fireEvent.change(zoneField(), { target: { value: "mexico city" } });
    const list = screen.getByRole("listbox", { name: "Time zones" });
    expect(within(list).getAllByRole("option").length).toBe(1);
    fireEvent.keyDown(zoneField(), { key: "Enter" });
    expect(screen.queryByRole("listbox")).toBeNull();
    expect(zoneField().value).toBe("America / Mexico City");
    save();
    await waitFor(() => expect(calls).toEqual([{ timeZone: "America/Mexico_City" }]));
  });

  it("works with arrow keys, and Escape keeps the former choice", async () => {
    await open();
    fireEvent.keyDown(zoneField(), { key: "ArrowDown" });
    const active = () =>
      document.getElementById(zoneField().getAttribute("aria-activedescendant") ?? "")?.textContent;
    expect(active()).toBe("America / Chicago");
    fireEvent.keyDown(zoneField(), { key: "ArrowDown" });
    expect(active()).not.toBe("America / Chicago");
    fireEvent.keyDown(zoneField(), { key: "Escape" });
    expect(zoneField().value).toBe("America / Chicago");
    fireEvent.change(zoneField(), { target: { value: "atlantis" } });
    expect(screen.getByText("No time zone matches. Try a large city nearby.")).toBeTruthy();
    fireEvent.keyDown(zoneField(), { key: "Enter" });
    expect(zoneField().value).toBe("America / Chicago");
  });
});

describe("operators", () => {
  it("shows whether the password is set, and who still knows it", async () => {
    await open({ operatorPasswordStale: true });
    expect(screen.getByText(/^Set\. Operators sign in/)).toBeTruthy();
    expect(screen.getByText(/still knows this password/)).toBeTruthy();
    const link = screen.getByRole("link", { name: "Manage operators" });
    expect(link.getAttribute("href")).toBe("/employees");
  });

  it("sets the operator password here, and no cache keeps it", async () => {
    const { calls, queryClient } = await open({ operatorPasswordSet: false });
    const kept = new Set<unknown>();
    queryClient.getMutationCache().subscribe(({ mutation }) => kept.add(mutation?.state.variables));
    fireEvent.click(screen.getByRole("button", { name: "Set operator password" }));
    const dialog = screen.getByRole("dialog");
    const password = within(dialog).getByLabelText<HTMLInputElement>("Operator Password");
    fireEvent.change(password, { target: { value: "short" } });
    fireEvent.submit(password);
    expect(await within(dialog).findByText("Password must be at least 6 characters")).toBeTruthy();
    fireEvent.change(password, { target: { value: "a".repeat(65) } });
    expect(await within(dialog).findByText("Password must be at most 64 characters")).toBeTruthy();
    fireEvent.change(password, { target: { value: " gravel-7 " } });
    fireEvent.submit(password);
    fireEvent.submit(password);
    await waitFor(() => expect(currentToast()?.title).toBe("Settings Updated"));
    expect(calls).toEqual([{ operatorPassword: " gravel-7 " }]);
    await waitFor(() => expect(screen.queryByRole("dialog")).toBeNull());
    expect([...kept]).toEqual([undefined]);
  });

  it("keeps a refused operator password in its dialog, with the reason at the field", async () => {
    const { state } = await open();
    const text = "Please choose another password.";
    state.refusal = new ConnectError(text, Code.InvalidArgument);
    fireEvent.click(screen.getByRole("button", { name: "Change operator password" }));
    const dialog = screen.getByRole("dialog");
    expect(dialog.textContent).toContain("All operators are signed out");
    const password = within(dialog).getByLabelText<HTMLInputElement>("Operator Password");
    fireEvent.change(password, { target: { value: "owners-own" } });
    fireEvent.submit(password);
    await expectFormError(text);
    expect(password.value).toBe("owners-own");
    expect(currentToast()?.title).toBe("Failed to Update Settings");
  });

  it("switches automatic updates immediately", async () => {
    const { calls } = await open({ operatorPasswordSet: false });
    expect(screen.getByText(/^Not set yet/)).toBeTruthy();
    const toggle = screen.getByRole<HTMLInputElement>("switch", { name: /automatically/ });
    expect(toggle.checked).toBe(false);
    fireEvent.click(toggle);
    await waitFor(() => expect(currentToast()?.title).toBe("Settings Updated"));
    expect(calls).toEqual([{ autoApplyUpdates: true }]);
    await waitFor(() => expect(toggle.checked).toBe(true));
    expect(screen.getByText(/A plausible update changes the meter right away/)).toBeTruthy();
  });

  it("switches earlier warnings", async () => {
    const { calls } = await open();
    const toggle = screen.getByRole<HTMLInputElement>("switch", { name: /^Earlier warnings/ });
    expect(toggle.checked).toBe(false);
    fireEvent.click(toggle);
    await waitFor(() => expect(toggle.checked).toBe(true));
    expect(calls).toEqual([{ earlierWarnings: true }]);
    expect(screen.getByText(/The equipment list and the form warn earlier/)).toBeTruthy();
  });

  it("reverts the switch when the server refuses, and shows why", async () => {
    const { state } = await open();
    state.refusal = new ConnectError("Not today.", Code.FailedPrecondition);
    const toggle = screen.getByRole<HTMLInputElement>("switch", { name: /automatically/ });
    fireEvent.click(toggle);
    expect((await screen.findAllByText("Not today.")).length).toBeGreaterThan(0);
    expect(screen.queryByRole("alert")).toBeNull();
    expect(toggle.checked).toBe(false);
  });
});

describe("the display", () => {
  it("keeps its choices on the device until sign-out", async () => {
    await open();
    fireEvent.click(screen.getByRole("radio", { name: "Dark" }));
    fireEvent.click(screen.getByRole("switch", { name: "Pulse alerts" }));
    const kept = () => ["theme", "pulseAlerts"].map((key) => localStorage.getItem(key));
    expect(kept()).toEqual(["dark", "off"]);
    expect(document.documentElement.dataset.theme).toBe("dark");
    fireEvent.click(screen.getByRole("radio", { name: "High" }));
    expect(document.documentElement.dataset.contrast).toBe("high");
    setContrast("system");
    fireEvent.click(screen.getByRole("button", { name: "Logout" }));
    await waitFor(() => expect(screen.queryByRole("heading", { name: "Display" })).toBeNull());
    expect(kept()).toEqual([null, null]);
  });

  it("stays usable when the company can't be loaded, with a retry", async () => {
    const { state } = await open({}, true);
    expect((await screen.findByRole("alert")).textContent).toContain("Not now.");
    expect(screen.getByRole("heading", { name: "Display" })).toBeTruthy();
    state.loadFails = false;
    fireEvent.click(screen.getByRole("button", { name: "Try again" }));
    expect(await screen.findByRole("textbox", { name: "Company Name" })).toBeTruthy();
  });

  it("changes the language in place", async () => {
    await open();
    fireEvent.click(screen.getByRole("radio", { name: "Español" }));
    expect(await screen.findByRole("heading", { level: 1, name: "Configuración" })).toBeTruthy();
  });
});

describe("requiring two-step sign-in", () => {
  const mine = { authenticatorSince: timestampFromDate(new Date(2026, 6, 3, 12)) };
  const sign = "Require two-step sign-in";

  it("takes effect immediately for an owner with a second step", async () => {
    const { calls } = await open({ factor: mine });
    const before = await screen.findByRole("switch", { name: sign });
    fireEvent.click(before);
    await waitFor(() => expect(currentToast()?.title).toBe("Two-step sign-in is required now"));
    expect(calls).toEqual([{ required: true }]);
    expect(await screen.findByText(/Anyone without one must set it up/)).toBeTruthy();
  });

  it("reverts after a refusal, and shows why", async () => {
    const { state } = await open({ factor: mine });
    state.refusal = new ConnectError("Not now.", Code.Internal);
    fireEvent.click(await screen.findByRole("switch", { name: sign }));
    expect((await screen.findByRole("alert")).textContent).toBe("Not now.");
    expect(currentToast()).toBeNull();
    expect(screen.getByRole<HTMLInputElement>("switch", { name: sign }).checked).toBe(false);
  });

  it("asks the owner to set up their own first", async () => {
    await open();
    const link = await screen.findByRole("link", { name: "Set up yours" });
    expect(link.getAttribute("href")).toBe("/profile");
    expect(screen.queryByRole("switch", { name: sign })).toBeNull();
  });

  it("has a section link while it is shown", async () => {
    await open({ factor: mine });
    await screen.findByRole("switch", { name: sign });
    expect(screen.getByRole("link", { name: "Security" })).toBeTruthy();
  });

  it("has no section link if it could not be loaded", async () => {
    const { queryClient } = await open({ factorFails: true });
    await waitFor(() => expect(queryClient.isFetching()).toBe(0));
    const links = within(screen.getByRole("navigation", { name: "Sections" }));
    expect(links.getByRole("link", { name: "Operators" })).toBeTruthy();
    expect(links.queryByRole("link", { name: "Security" })).toBeNull();
  });

  it("is available to the owner only", async () => {
    await open({ role: "manager", factor: mine });
    expect(screen.queryByText(sign)).toBeNull();
  });
});
