import { act, fireEvent, screen, waitFor, within } from "@testing-library/react";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { setTheme } from "#/shared/theme";
import { currentToast } from "#/shared/toast/store";
import { catalogue } from "#/test/plans";
import { renderApp, stubRest, visitor } from "#/test/render-app";

/** The landing page in the application. */
async function open(plans: { status: number; body: object } = { status: 200, body: catalogue }) {
  stubRest({ "GET /api/auth/user": visitor, "GET /api/plans": plans });
  const view = await renderApp("/");
  await screen.findByRole("heading", { level: 1 });
  return view;
}

const links = (name: string) => screen.getAllByRole<HTMLAnchorElement>("link", { name });
const shown = (text: string) =>
  screen.getAllByText(text).filter((element) => !element.closest("[hidden]"));
const hrefs = (name: string) => new Set(links(name).map((link) => link.getAttribute("href")));

describe("links to the application", () => {
  it("owners start at /signup, and one call to action is the gateway's own entry", async () => {
    await open();
    expect(hrefs("Get Started as Owner/Manager")).toEqual(new Set(["/signup"]));
    await screen.findByRole("heading", { name: "Basic" });
    expect(hrefs("Start free trial")).toEqual(
      new Set([
        "/signup?plan=basic",
        "/signup?plan=professional",
        "/signup?plan=enterprise",
        "/signup",
      ]),
    );
    expect(hrefs("Owner/Manager Sign In")).toEqual(new Set(["/api/login/owner"]));
    expect(links("Owner/Manager Sign In")).toHaveLength(1);
    expect(hrefs("Owner Login")).toEqual(new Set(["/login"]));
    expect(hrefs("Operator Login")).toEqual(new Set(["/employee-login"]));
  });

  it("a link goes there without loading the page again", async () => {
    const { router } = await open();
    const [link] = links("Operator Login");
    if (!link) throw new Error("no link");
    fireEvent.click(link);
    await waitFor(() => expect(router.state.location.pathname).toBe("/employee-login"));
  });

  it("the browser opens new tabs", async () => {
    const { router } = await open();
    const [link] = links("Owner Login");
    if (!link) throw new Error("no link");
    const stop = (event: Event) => event.preventDefault();
    window.addEventListener("click", stop);
    fireEvent.click(link, { ctrlKey: true });
    window.removeEventListener("click", stop);
    expect(router.state.location.pathname).toBe("/");
  });

  it("headings go down step by step", async () => {
    await open();
    await screen.findByRole("heading", { name: "Basic" });
    const levels = screen.getAllByRole("heading").map((each) => Number(each.tagName.slice(1)));
    expect(levels[0]).toBe(1);
    expect(levels.filter((level) => level === 1)).toHaveLength(1);
    const jumps = levels.filter((level, index) => level - (levels[index - 1] ?? 0) > 1);
    expect(jumps).toEqual([]);
  });
});

describe("pictures further down", () => {
  const pictures = () => screen.getAllByRole<HTMLImageElement>("img");
  const waiting = () => pictures().filter((image) => image.getAttribute("loading") === "lazy");

  it("load shortly after the page", async () => {
    await open();
    expect(waiting().length).toBeGreaterThan(0);
    await waitFor(() => expect(waiting()).toEqual([]));
  });

  it("load before printing", async () => {
    // The page is still loading, so pictures are not loaded automatically.
    vi.spyOn(document, "readyState", "get").mockReturnValue("loading");
    await open();
    expect(waiting().length).toBeGreaterThan(0);
    fireEvent(window, new Event("beforeprint"));
    expect(waiting()).toEqual([]);
  });

  it("follow a theme that was chosen against the system's", async () => {
    setTheme("dark");
    await open();
    setTheme("system");
    const media = [...document.querySelectorAll("source")].map((source) => source.media);
    expect(new Set(media)).toEqual(
      new Set([
        "(max-width: 699px) and (min-width: 0px)",
        "(max-width: 699px)",
        "(min-width: 0px)",
      ]),
    );
  });
});

describe("links within the page", () => {
  it("has an address for each link of the footer", async () => {
    await open();
    const footer = within(screen.getByRole("navigation", { name: "Start and sign in" }));
    const inside = footer
      .getAllByRole("link")
      .flatMap((link) => link.getAttribute("href")?.match(/^#(.+)/)?.[1] ?? []);
    expect(inside).toEqual(["plans", "download-app", "contact"]);
    for (const id of inside) expect(document.getElementById(id)).toBeTruthy();
  });
});

describe("the plans", () => {
  const card = (name: string) => {
    const item = screen.getByRole("heading", { level: 3, name }).closest("li");
    if (!item) throw new Error(`no card ${name}`);
    return within(item);
  };

  it("cost what the catalogue says, by month and by year", async () => {
    await open();
    await screen.findByRole("heading", { level: 3, name: "Professional" });
    expect(card("Professional").getByText("$54")).toBeTruthy();
    expect(card("Professional").getByText("List price $68")).toBeTruthy();
    expect(screen.getByText("Launch special: 20% off all plans.")).toBeTruthy();
    expect(
      screen.getByText("Pay by the year and save another 15%.", { exact: false }),
    ).toBeTruthy();
    fireEvent.click(screen.getByRole("radio", { name: "Yearly" }));
    expect(card("Basic").getByText("$27")).toBeTruthy();
    expect(card("Basic").getByText("$326.40 billed once a year")).toBeTruthy();
    expect(card("Professional").queryByText("$54")).toBeNull();
    fireEvent.click(screen.getByRole("radio", { name: "Monthly" }));
    expect(card("Basic").getByText("$32")).toBeTruthy();
  });

  it("and the trial's length and the discounts come from there too", async () => {
    await open({
      status: 200,
      body: { ...catalogue, trialDays: 14, launchDiscountPercent: 25, yearlyDiscountPercent: 10 },
    });
    expect(await screen.findByText("2-week free trial. No credit card.")).toBeTruthy();
    expect(screen.getByText(/begins with a 2-week free trial/)).toBeTruthy();
    expect(screen.getByText("Launch special: 25% off all plans.")).toBeTruthy();
    expect(
      screen.getByText("Pay by the year and save another 10%.", { exact: false }),
    ).toBeTruthy();
  });

  it("that can't be loaded show an error, and the page keeps working", async () => {
    await open({ status: 500, body: { message: "x" } });
    expect(await screen.findByText("The plans could not be loaded.")).toBeTruthy();
    expect(screen.getByText("Free trial. No credit card.")).toBeTruthy();
    expect(screen.getByRole("button", { name: "Try again" })).toBeTruthy();
  });
});

describe("installing", () => {
  const offer = () => {
    const prompt = vi.fn<() => Promise<void>>().mockResolvedValue();
    const event = Object.assign(new Event("beforeinstallprompt", { cancelable: true }), {
      prompt,
      userChoice: Promise.resolve({ outcome: "dismissed" as const }),
    });
    act(() => void window.dispatchEvent(event));
    return { event, prompt };
  };

  it("links to the steps if the browser offers no prompt", async () => {
    await open();
    expect(hrefs("Install as App")).toEqual(new Set(["#download-app"]));
    const section = screen.getByRole("region", { name: "Download App" });
    for (const name of ["iPhone and iPad", "Android", "Computer"]) {
      expect(
        within(section).getByRole("heading", { level: 3, name: new RegExp(name) }),
      ).toBeTruthy();
    }
    expect(shown("This device")).toHaveLength(1);
  });

  it("uses the browser's prompt if there is one, once", async () => {
    await open();
    const { event, prompt } = offer();
    expect(event.defaultPrevented).toBe(true);
    const [button] = screen.getAllByRole("button", { name: "Install as App" });
    if (!button) throw new Error("no button");
    fireEvent.click(button);
    expect(prompt).toHaveBeenCalledTimes(1);
    await waitFor(() =>
      expect(screen.queryByRole("button", { name: "Install as App" })).toBeNull(),
    );
    expect(hrefs("Install as App")).toEqual(new Set(["#download-app"]));
  });

  it("is confirmed when done", async () => {
    await open();
    offer();
    act(() => void window.dispatchEvent(new Event("appinstalled")));
    expect(shown("Installed on this device")).toHaveLength(1);
    expect(shown("Install as App")).toEqual([]);
  });
});

describe("the contact form", () => {
  const field = (name: string) => screen.getByRole<HTMLInputElement>("textbox", { name });
  const send = () => fireEvent.click(screen.getByRole("button", { name: "Open in email app" }));
  const mails: string[] = [];

  beforeEach(() => {
    mails.length = 0;
    vi.spyOn(HTMLAnchorElement.prototype, "click").mockImplementation(function (
      this: HTMLAnchorElement,
    ) {
      mails.push(this.href);
    });
  });
  afterEach(() => vi.restoreAllMocks());

  it("requires every field, shows the error once and keeps typed values", async () => {
    await open();
    fireEvent.change(field("Name"), { target: { value: "Dana" } });
    send();
    await waitFor(() =>
      expect(currentToast()?.description).toBe("Please fill out all fields before sending."),
    );
    expect(field("Name").value).toBe("Dana");
    expect(mails).toEqual([]);
  });

  it("prepares a mail and calls no server", async () => {
    await open();
    const fetched = vi.spyOn(globalThis, "fetch");
    for (const [name, value] of [
      ["Name", "Dana"],
      ["Email", "dana@acme.test"],
      ["Subject", "Plans & prices"],
      ["Message", "Hello"],
    ] as const) {
      fireEvent.change(field(name), { target: { value } });
    }
    send();
    await screen.findByText(/is ready in your email app/);
    expect(mails).toEqual([
      "mailto:?subject=Plans%20%26%20prices&body=Hello%0D%0A%0D%0ADana%0D%0Adana%40acme.test",
    ]);
    expect(fetched).not.toHaveBeenCalled();
  });
});
