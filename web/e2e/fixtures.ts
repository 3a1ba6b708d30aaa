import {
  expect,
  test as base,
  type Browser,
  type BrowserContext,
  type BrowserContextOptions,
  type ConsoleMessage,
  type WebError,
} from "@playwright/test";
import { buy, company, manager, operator, operatorIn, ownerIn, signedInBy, unique } from "./people";
import type { Call, StorageState } from "./people";
import { staffIn, supportStaff } from "./support-staff";
import type { Language } from "./words";

export type Screen = "desktop" | "phone";

/** A browser for a language and a screen. */
export type Open = (
  screen: Screen,
  language: Language,
  options?: BrowserContextOptions & {
    /** Not reused, because clocks and scripts of a context can't be removed. */
    ownContext?: boolean;
  },
) => Promise<BrowserContext>;

export const sizes = {
  desktop: { viewport: { width: 1440, height: 900 } },
  phone: { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true },
};

/** A fake clock remains in the context and would change the times of later tests. */
function forbidClock({ clock }: BrowserContext) {
  const forbidden = () => {
    throw new Error("a test with a fake clock needs its own context");
  };
  const methods = ["install", "setSystemTime", "setFixedTime", "pauseAt", "fastForward", "runFor"];
  Object.assign(clock, Object.fromEntries(methods.map((method) => [method, forbidden])));
}

const signedOut = { cookies: [], origins: [] };

/**
 * The browser contexts of one worker. A context is cleared after its test and reused, because its
 * HTTP cache has the product's files. A context with further options is closed instead.
 */
function contextPool(browser: Browser) {
  const idle: Record<string, BrowserContext[]> = {};
  let used: Array<{ kind: string | null; context: BrowserContext }> = [];
  const complaints: string[] = [];
  const onError = (error: WebError) => void complaints.push(String(error.error()));
  const onMessage = (message: ConsoleMessage) => {
    if (message.text().includes("Content Security Policy")) complaints.push(message.text());
  };

  const open: Open = async (
    screen,
    language,
    { storageState = signedOut, ownContext, ...options } = {},
  ) => {
    const isShared = !ownContext && Object.keys(options).length === 0;
    const kind = isShared ? `${screen} ${language}` : null;
    let context = kind === null ? undefined : idle[kind]?.pop();
    if (context) {
      await context.setStorageState(storageState);
    } else {
      const locale = language === "en" ? "en-US" : "es-MX";
      context = await browser.newContext({
        ...sizes[screen],
        locale,
        timezoneId: "America/Chicago",
        storageState,
        ...options,
      });
      if (isShared) forbidClock(context);
    }
    context.on("weberror", onError).on("console", onMessage);
    used.push({ kind, context });
    return context;
  };

  /** Ends a test. Returns the errors of its pages and what the content policy blocked. */
  async function release(): Promise<string[]> {
    const finished = used;
    used = [];
    for (const { kind, context } of finished) {
      context.off("weberror", onError).off("console", onMessage);
      if (kind === null) {
        await context.close();
        continue;
      }
      await Promise.all(context.pages().map((page) => page.close()));
      await context.unrouteAll({ behavior: "ignoreErrors" });
      await context.setOffline(false);
      await context.clearPermissions();
      (idle[kind] ??= []).push(context);
    }
    return complaints.splice(0);
  }

  return { open, release };
}

/** A company with room for the machines of many tests, and its signed-in users. */
export interface Team {
  business: string;
  email: string;
  call: Call;
  username: string;
  owner: StorageState;
  manager: StorageState;
  operator: StorageState;
}

export interface StaffMember {
  name: string;
  state: StorageState;
}

async function makeTeam(browser: Browser): Promise<Team> {
  const business = unique("Team Works");
  const { email, call, signedIn } = await company(await browser.newContext(), business);
  await buy(call, "enterprise");
  const boss = `tom.${email}`;
  const { temporaryPassword: password } = await manager(call, boss);
  const username = await operator(call);
  return {
    business,
    email,
    call,
    username,
    owner: signedIn,
    manager: await signedInBy(browser, (context) => ownerIn(context, boss, password)),
    operator: await signedInBy(browser, (context) => operatorIn(context, username)),
  };
}

export const test = base.extend<
  { open: Open; staff: StaffMember },
  { pool: ReturnType<typeof contextPool>; team: Team }
>({
  pool: [({ browser }, provide) => provide(contextPool(browser)), { scope: "worker" }],
  open: async ({ pool }, provide, test) => {
    await provide(pool.open);
    // After a failure the pages stay open for the screenshot; Playwright then ends the worker.
    if (test.status === test.expectedStatus) expect(await pool.release()).toEqual([]);
  },
  /** A shared company; tests add data with unique names. */
  team: [async ({ browser }, provide) => provide(await makeTeam(browser)), { scope: "worker" }],
  /** A new member of support staff per test, because an idle session of theirs ends soon. */
  staff: async ({ browser }, provide) => {
    let name = "";
    const state = await signedInBy(browser, async (context) => {
      const ada = await supportStaff(context, "Ada Desk");
      await staffIn(context, ada);
      ({ name } = ada);
    });
    await provide({ name, state });
  },
});
