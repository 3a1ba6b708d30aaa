import { spawn, type ChildProcess } from "node:child_process";
import { setTimeout as sleep } from "node:timers/promises";
import * as v from "valibot";

// A W3C WebDriver client: both engines run the same calls, each through its own driver.

/** Defined by the standard: the key of an element's id. */
const elementKey = "element-6066-11e4-a52e-4f735466cecf";
const elementId = v.pipe(
  v.object({ [elementKey]: v.string() }),
  v.transform((element) => element[elementKey]),
);
const answerSchema = v.object({ value: v.unknown() });

/** Where elements of a role are found; their accessible names are compared. */
const roles = {
  button: "button",
  textbox: "input, textarea",
  radio: "input[type=radio]",
  heading: "h1, h2, h3",
  dialog: "[role=dialog], [role=alertdialog]",
} as const;

export type Role = keyof typeof roles;

/** Time for one step; on a slow machine it must suffice too. */
const patienceMs = 60_000;

/** Repeats until the action succeeds. Elements move and are replaced while the page renders. */
export async function until<T>(what: string, act: () => Promise<T>): Promise<T> {
  const end = Date.now() + patienceMs;
  for (;;) {
    try {
      return await act();
    } catch (error) {
      if (Date.now() > end) throw new Error(`not reached: ${what}`, { cause: error });
      await sleep(100);
    }
  }
}

/** A running driver, such as `WebKitWebDriver`, at a port. */
export async function driver(program: string, port: number) {
  const child: ChildProcess = spawn(program, [`--port=${port}`], { stdio: "ignore" });
  const failed = new Promise<never>((_, reject) => child.once("error", reject));

  const send = async (method: string, path: string, body?: object): Promise<unknown> => {
    const answer = await fetch(`http://127.0.0.1:${port}${path}`, {
      method,
      ...(body && { body: JSON.stringify(body), headers: { "Content-Type": "application/json" } }),
    });
    const { value } = v.parse(answerSchema, await answer.json());
    if (!answer.ok) throw new Error(`${method} ${path}: ${JSON.stringify(value).slice(0, 500)}`);
    return value;
  };
  await Promise.race([failed, until(program, () => send("GET", "/status"))]);
  return { send, stop: () => child.kill() };
}

export type Driver = Awaited<ReturnType<typeof driver>>;

const sessionSchema = v.object({
  sessionId: v.string(),
  capabilities: v.object({ browserVersion: v.string() }),
});

/** A browser window with an area of 390 x 844 for the page. */
export async function openPhone({ send }: Driver, capabilities: object) {
  const session = v.parse(
    sessionSchema,
    await send("POST", "/session", { capabilities: { alwaysMatch: capabilities } }),
  );
  const path = `/session/${session.sessionId}`;
  const get = (rest: string) => send("GET", path + rest);
  const post = (rest: string, body: object = {}) => send("POST", path + rest, body);
  const script = (code: string, ...args: unknown[]) =>
    post("/execute/sync", { script: code, args });

  const elements = async (css: string) =>
    v.parse(v.array(elementId), await post("/elements", { using: "css selector", value: css }));

  /**
   * In the middle nothing that sticks to an edge of the window covers it. A press on a sheet that
   * still slides in would miss.
   */
  async function scrolledTo(role: Role, name: RegExp | string): Promise<string> {
    const id = await found(role, name);
    await script("arguments[0].scrollIntoView({ block: 'center' })", { [elementKey]: id });
    const place = async () => JSON.stringify(await get(`/element/${id}/rect`));
    let [before, now] = ["", await place()];
    while (now !== before) {
      await sleep(50);
      [before, now] = [now, await place()];
    }
    return id;
  }

  /** The first visible element of this role whose accessible name matches; none behind a dialog. */
  async function found(role: Role, name: RegExp | string): Promise<string> {
    for (const id of await elements(`:is(${roles[role]}):not([aria-hidden=true] *)`)) {
      // WebKit's driver computes no name for others.
      if ((await get(`/element/${id}/displayed`)) !== true) continue;
      const label = String(await get(`/element/${id}/computedlabel`)).trim();
      if (typeof name === "string" ? label === name : name.test(label)) return id;
    }
    throw new Error(`no ${role} ${String(name)}`);
  }

  const phone = {
    version: session.capabilities.browserVersion,
    script,
    goto: (url: string) => post("/url", { url }),

    /** As a person reloads: `refresh` of Firefox's driver bypasses the service worker. */
    reload: async () => {
      await script("window.isOld = true; setTimeout(() => location.reload())");
      await until("the reloaded page", async () => {
        const loaded = "return !window.isOld && document.readyState === 'complete'";
        if ((await script(loaded)) !== true) throw new Error("the old page");
      });
    },

    screenshot: async () => Buffer.from(String(await get("/screenshot")), "base64"),
    close: () => send("DELETE", path),

    see: (role: Role, name: RegExp | string) =>
      until(`${role} ${String(name)}`, () => found(role, name)),

    click: (role: Role, name: RegExp | string) =>
      until(`click on ${role} ${String(name)}`, async () =>
        post(`/element/${await scrolledTo(role, name)}/click`),
      ),

    /** Replaces the text of a field, with keys. */
    fill: (name: RegExp | string, text: string) =>
      until(`text in ${String(name)}`, async () => {
        const id = await scrolledTo("textbox", name);
        await post(`/element/${id}/clear`);
        await post(`/element/${id}/value`, { text });
      }),

    value: async (name: RegExp | string) =>
      get(`/element/${await found("textbox", name)}/property/value`),

    /** Waits for text anywhere on the page; without `shown`, until it is absent. */
    text: (text: string, shown = true) =>
      until(`${shown ? "" : "no "}text ${text}`, async () => {
        const all = String(await script("return document.body.innerText")).replaceAll(
          "\u00a0",
          " ",
        );
        if (all.includes(text) !== shown) throw new Error(all);
      }),
  };

  // Both browsers have a wider smallest window, but not for a window that a page opens. Such a
  // window has no toolbar.
  const features = "width=390,height=844,toolbar=no,location=no,menubar=no,status=no";
  await phone.goto(
    `data:text/html,<button onclick="open('about:blank','_blank','${features}')">Open`,
  );
  const first = String(await get("/window"));
  await phone.click("button", "Open");
  const handle = await until("the window of a phone", async () => {
    const handles = v.parse(v.array(v.string()), await get("/window/handles"));
    const second = handles.find((each) => each !== first);
    if (!second) throw new Error("one window");
    return second;
  });
  await send("DELETE", `${path}/window`);
  await post("/window", { handle });
  let height = 844;
  await until("390 x 844", async () => {
    await post("/window/rect", { width: 390, height });
    const size = await script("return [innerWidth, innerHeight]");
    if (String(size) === "390,844") return;
    // Firefox shows its address.
    height += 844 - Number(await script("return innerHeight"));
    throw new Error(String(size));
  });
  return phone;
}

export type Phone = Awaited<ReturnType<typeof openPhone>>;
