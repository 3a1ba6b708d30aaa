import { toJson } from "@bufbuild/protobuf";
import { Code, ConnectError, createRouterTransport } from "@connectrpc/connect";
import { act, fireEvent, screen, waitFor, within } from "@testing-library/react";
import { beforeEach, describe, expect, it, vi } from "vitest";
import { AccountsService, Role } from "#/api/gen/hourmeter/accounts/v1/accounts_pb";
import { AuditEventSchema, type AuditEvent } from "#/api/gen/hourmeter/common/v1/audit_pb";
import { changeLanguage } from "#/i18n";
import * as files from "#/shared/csv/download";
import { fileDate } from "#/shared/csv/file-date";
import { currentPrintJob, setPrintJob } from "#/shared/print/store";
import { currentToast } from "#/shared/toast/store";
import { owner, renderApp, stubRest, visitor } from "#/test/render-app";
import { stubPages } from "#/test/stub-pages";
import { line } from "./audit-log.fixture";

const dana = "0192f0aa-0000-7000-8000-000000000001";
const gone = "0192f0aa-0000-7000-8000-000000000009";

const reason = "Ticket 4711: asked by phone";
const lines = [
  line({ id: "e1", event: "operator_added", actorId: dana, targetName: "Maria Soto" }),
  line({
    id: "e2",
    event: "sign_in",
    outcome: "limited",
    actorId: undefined,
    actorName: "",
    scope: "",
    targetName: "Dana Ruiz",
    addressPrefix: "",
  }),
  line({
    id: "e3",
    event: "operator_password_revealed_by_support",
    actorId: "s1",
    actorName: "Sam",
    scope: "staff",
    detail: reason,
  }),
  line({
    id: "e5",
    event: "equipment_retired",
    actorId: dana,
    targetId: "0192f0aa-0000-7000-8000-00000000000a",
    targetName: "Loader",
  }),
  line({ id: "e4", event: "robot_started", actorId: gone, actorName: "=Luis", scope: "operator" }),
];

const json = (events: readonly AuditEvent[]) =>
  events.map((event) => toJson(AuditEventSchema, event));

async function open(log: readonly AuditEvent[], path = "/audit-log", user: object = owner) {
  stubRest({ "GET /api/auth/user": { status: 200, body: user } });
  const state = { failFrom: Infinity, failExport: false };
  const requests = stubPages("/api/audit-log", (query) => {
    const limit = Number(query.get("limit") ?? 0);
    if (limit === 0) {
      return state.failExport
        ? { status: 500, body: { message: "The disk is full." } }
        : { body: json(log) };
    }
    const from = Number(query.get("cursor") ?? 0);
    if (from >= state.failFrom) return { status: 500, body: { message: "The disk is full." } };
    const to = from + limit;
    return {
      body: json(log.slice(from, to)),
      ...(to < log.length ? { nextCursor: String(to) } : {}),
    };
  });
  const transport = createRouterTransport(({ service }) => {
    service(AccountsService, {
      listEmployees: () => ({
        employees: [
          { id: dana, firstName: "Dana", lastName: "Ruiz", role: Role.OWNER, email: "d@acme.test" },
        ],
      }),
      getCompanySettings: () => ({ settings: { timeZone: "America/Chicago" } }),
      updateCompanySettings: () => {
        throw new ConnectError("Not here.", Code.Unimplemented);
      },
    });
  });
  const page = { state, requests, ...(await renderApp(path, transport)) };
  return page;
}

const opened = () => screen.findByRole("heading", { level: 1, name: "Audit Log" });
const press = (name: string) => fireEvent.click(screen.getByRole("button", { name }));
const entries = () =>
  within(screen.getByRole("table", { name: "Audit Log" }))
    .getAllByRole("row")
    .slice(1);

describe("who may read it", () => {
  it.each(["manager", "support"])("a %s gets the page for unknown addresses", async (role) => {
    const { requests } = await open(lines, "/audit-log", { ...owner, role });
    await screen.findByRole("heading", { name: "Page not found" });
    expect(requests).toEqual([]);
  });

  it("a visitor gets the landing page", async () => {
    stubRest({ "GET /api/auth/user": visitor });
    await renderApp("/audit-log");
    expect(await screen.findByRole("heading", { name: /Know which machine/ })).toBeTruthy();
  });
});

describe("the log", () => {
  it("reads as sentences, with time, network, outcome and the reason of support", async () => {
    await open(lines);
    await opened();
    await waitFor(() => expect(entries().length).toBe(5));
    // The zone comes with the settings.
    await screen.findByText(/America\/Chicago/);
    const [first, second, third, , fourth] = entries().map((entry) =>
      entry.textContent?.replaceAll("\u202f", " "),
    );
    expect(first).toContain("Dana Ruiz added the operator Maria Soto");
    expect(first).toContain("Nov 20, 2026");
    expect(first).toContain("8:15:07 AM CST");
    expect(first).toContain("203.0.113.0/24");
    expect(first).not.toContain("Failed");
    expect(second).toContain("Someone not signed in tried to sign in as Dana Ruiz");
    expect(second).toContain("Too many attempts");
    expect(second).toContain("Unknown");
    expect(third).toContain("Hourmeter support (Sam) viewed the shared operator password");
    expect(third).toContain(`Reason: “${reason}”`);
    expect(fourth).toContain("=Luis: robot started");
    expect(fourth).toContain("In an operator session");
    expect(screen.getByText("5 events")).toBeTruthy();
    const time = entries()[0]?.querySelector("time");
    expect(time?.getAttribute("title")).toMatch(/Friday, November 20, 2026.*CST/);
  });

  it("links to the history of a machine that still has one", async () => {
    await open(lines);
    await opened();
    const link = await screen.findByRole("link", { name: "History of Loader" });
    expect(link.getAttribute("href")).toBe(
      "/equipment/item/0192f0aa-0000-7000-8000-00000000000a?tab=history",
    );
    expect(screen.getAllByRole("link", { name: /^History of/ }).length).toBe(1);
  });

  it("follows the language", async () => {
    await open(lines);
    await opened();
    await waitFor(() => expect(entries().length).toBe(5));
    await changeLanguage("es");
    expect(await screen.findByText("Registro de auditoría")).toBeTruthy();
    expect(screen.getByText("Demasiados intentos")).toBeTruthy();
  });

  it("has an empty state", async () => {
    const { requests } = await open([]);
    expect(await screen.findByText("No events yet")).toBeTruthy();
    press("Export CSV");
    expect(currentToast()).toMatchObject({ tone: "failure", title: "Nothing to export" });
    expect(requests.length).toBe(1);
  });

  it("shows a failure once, with a retry", async () => {
    const { state, queryClient } = await open(lines);
    await opened();
    await waitFor(() => expect(entries().length).toBe(5));
    state.failFrom = 0;
    await queryClient.invalidateQueries();
    const alert = await screen.findByRole("alert");
    expect(alert.textContent).toContain("The audit log could not be loaded.");
    expect(alert.textContent).toContain("The disk is full.");
    state.failFrom = Infinity;
    press("Try again");
    await waitFor(() => expect(screen.queryByRole("alert")).toBeNull());
  });
});

describe("a long log", () => {
  const many = Array.from({ length: 250 }, (_, index) => line({ id: `e${index}` }));
  let reach: () => void = () => undefined;

  beforeEach(() => {
    vi.stubGlobal(
      "IntersectionObserver",
      class {
        constructor(callback: (entries: Array<{ isIntersecting: boolean }>) => void) {
          reach = () => callback([{ isIntersecting: true }]);
        }
        observe() {}
        disconnect() {}
      },
    );
  });

  it("loads page by page, and continues after a failed page", async () => {
    const { requests, state } = await open(many);
    expect(await screen.findByText(/^100 events so far/)).toBeTruthy();
    state.failFrom = 100;
    reach();
    expect((await screen.findByRole("alert")).textContent).toContain(
      "The older part of the audit log could not be loaded.",
    );
    // Scrolling does not retry.
    reach();
    expect(requests.length).toBe(2);
    state.failFrom = Infinity;
    press("Try again");
    expect(await screen.findByText(/^200 events so far/)).toBeTruthy();
    reach();
    expect(await screen.findByText("250 events")).toBeTruthy();
    expect(requests).toEqual([
      "?limit=100",
      "?limit=100&cursor=100",
      "?limit=100&cursor=100",
      "?limit=100&cursor=200",
    ]);
  });
});

describe("the filters", () => {
  it("are in the URL and sent to the server, with days in the company's time zone", async () => {
    const { requests, router } = await open(lines);
    await opened();
    await screen.findByRole("option", { name: "Dana Ruiz · d@acme.test" });
    await screen.findByText(/America\/Chicago/);
    const choose = (label: string, value: string) =>
      fireEvent.change(screen.getByLabelText(label), { target: { value } });
    choose("Kind of event", "refused");
    choose("Person", dana);
    choose("From", "2026-11-01");
    choose("To", "2026-11-20");
    await waitFor(() =>
      expect(router.state.location.search).toEqual({
        category: "refused",
        person: dana,
        from: "2026-11-01",
        to: "2026-11-20",
      }),
    );
    await waitFor(() =>
      expect(requests.at(-1)).toBe(
        `?event=permission_denied,unknown_object,request_refused,webhook_refused,key_failure&actor=${dana}` +
          "&from=2026-11-01T05:00:00.000Z&to=2026-11-21T06:00:00.000Z&limit=100",
      ),
    );
    press("Clear");
    await waitFor(() => expect(router.state.location.search).toEqual({}));
    expect(screen.getByLabelText("From")).toHaveProperty("value", "");
    expect(screen.queryByRole("button", { name: "Clear" })).toBeNull();
  });

  it("show different texts for no match and no events, with Clear filters", async () => {
    const { router } = await open([], "/audit-log?category=equipment");
    expect(await screen.findByText("No matches")).toBeTruthy();
    press("Clear filters");
    expect(await screen.findByText("No events yet")).toBeTruthy();
    expect(router.state.location.search).toEqual({});
  });

  it("show a former person by the name in the log", async () => {
    await open(lines, `/audit-log?person=${gone}`);
    expect(await screen.findByRole("option", { name: "=Luis" })).toBeTruthy();
    expect(screen.getByLabelText("Person")).toHaveProperty("value", gone);
  });

  it("offer the former people of the loaded events", async () => {
    await open(lines);
    const option = await screen.findByRole("option", { name: "=Luis" });
    expect(option).toHaveProperty("value", gone);
  });

  it("report reversed days", async () => {
    await open([], "/audit-log?from=2026-11-20&to=2026-11-01");
    expect(await screen.findByText("The first day is after the last one.")).toBeTruthy();
  });

  it("drop invalid values of the URL", async () => {
    const { requests } = await open(lines, "/audit-log?category=x&person=y&from=2026-02-30&to=1");
    await opened();
    await waitFor(() => expect(requests).toEqual(["?limit=100"]));
  });
});

describe("the export", () => {
  it("holds the whole filtered log, safe for a spreadsheet", async () => {
    const download = vi.spyOn(files, "download").mockImplementation(() => undefined);
    const { requests } = await open(lines, "/audit-log?category=people");
    await opened();
    await screen.findByText(/America\/Chicago/);
    await waitFor(() => expect(entries().length).toBe(5));
    press("Export CSV");
    await waitFor(() => expect(download).toHaveBeenCalledOnce());
    expect(requests.at(-1)).not.toContain("limit");
    expect(requests.at(-1)).toContain("event=password_changed,");
    const [name, text] = download.mock.calls[0] ?? [];
    expect(name).toBe(`audit-log-${fileDate(new Date())}.csv`);
    const rows = text?.split("\r\n") ?? [];
    expect(rows[0]).toBe(
      "\uFEFFTime (America/Chicago),Time (UTC),Person,What Happened,Result,Concerns,Detail,Session,Network,Request ID,Event",
    );
    expect(rows[1]).toBe(
      "2026-11-20 08:15:07,2026-11-20T14:15:07.123456Z,Dana Ruiz,Dana Ruiz added the operator Maria Soto,Done,Maria Soto,,Full,203.0.113.0/24,r1,operator_added",
    );
    expect(rows[3]).toContain(`,Done,,${reason},Support,`);
    expect(rows[5]).toContain(",'=Luis,'=Luis: robot started,Done,");
    expect(currentToast()).toMatchObject({ tone: "success", title: "Export Complete" });
  });

  it("is printed in plain sentences", async () => {
    await open(lines, "/audit-log?category=people");
    await opened();
    await screen.findByText(/America\/Chicago/);
    press("Print");
    await waitFor(() => expect(currentPrintJob()?.note).toBe(`${lines.length} events`));
    expect(currentPrintJob()?.rows[0]?.slice(1)).toEqual([
      "Dana Ruiz added the operator Maria Soto",
      "Done",
      "",
      "203.0.113.0/24",
    ]);
    act(() => setPrintJob(null));
  });

  it("shows why it failed", async () => {
    const { state } = await open(lines);
    await opened();
    await waitFor(() => expect(entries().length).toBe(5));
    state.failExport = true;
    press("Export CSV");
    await waitFor(() =>
      expect(currentToast()).toMatchObject({
        tone: "failure",
        title: "Export failed",
        description: "The disk is full.",
      }),
    );
  });
});
