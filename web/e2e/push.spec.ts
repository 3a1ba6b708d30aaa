import { createDecipheriv, createECDH, hkdfSync, randomBytes } from "node:crypto";
import { createServer } from "node:http";
import { expect, type BrowserContext } from "@playwright/test";
import { test } from "./fixtures";
import { caller, company, machine, operator, operatorIn, unique } from "./people";
import { words } from "./words";

const t = words("en");

/** A browser's push service that keeps what it receives, decrypted. */
async function pushService() {
  const key = createECDH("prime256v1");
  const publicKey = key.generateKeys();
  const auth = randomBytes(16);
  const payloads: string[] = [];
  // RFC 8188 and 8291, with one record.
  const decrypt = (body: Buffer): string => {
    const salt = body.subarray(0, 16);
    const sender = body.subarray(21, 21 + (body[20] ?? 0));
    const sealed = body.subarray(21 + sender.length);
    const derive = (secret: Buffer, salted: Buffer, info: Buffer, length: number) =>
      Buffer.from(hkdfSync("sha256", secret, salted, info, length));
    const info = Buffer.concat([Buffer.from("WebPush: info\0"), publicKey, sender]);
    const secret = derive(key.computeSecret(sender), auth, info, 32);
    const label = (name: string) => Buffer.from(`Content-Encoding: ${name}\0`);
    const cipher = createDecipheriv(
      "aes-128-gcm",
      derive(secret, salt, label("aes128gcm"), 16),
      derive(secret, salt, label("nonce"), 12),
    );
    cipher.setAuthTag(sealed.subarray(-16));
    const plain = Buffer.concat([cipher.update(sealed.subarray(0, -16)), cipher.final()]);
    return plain.subarray(0, plain.lastIndexOf(2)).toString();
  };
  const server = createServer((request, response) => {
    const parts: Buffer[] = [];
    request.on("data", (part: Buffer) => parts.push(part));
    request.on("end", () => {
      payloads.push(decrypt(Buffer.concat(parts)));
      response.writeHead(201).end();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  if (typeof address !== "object" || !address) throw new Error("the server has no port");
  const { port } = address;
  return {
    payloads,
    subscription: {
      endpoint: `http://127.0.0.1:${port}/${unique("browser").replaceAll(" ", "")}`,
      keys: { p256dh: publicKey.toString("base64url"), auth: auth.toString("base64url") },
    },
    stop: () => void server.close(),
  };
}

type Subscription = Awaited<ReturnType<typeof pushService>>["subscription"];

/** The headless browser has no push service of its own, and denies notifications. */
function subscribeWith(context: BrowserContext, subscription: Subscription) {
  return context.addInitScript((given) => {
    let current: object | null = null;
    let permission = "default";
    Object.defineProperty(Notification, "permission", { get: () => permission });
    Notification.requestPermission = () => {
      permission = "granted";
      return Promise.resolve("granted");
    };
    const bytes = (text: string) =>
      Uint8Array.from(atob(text.replaceAll("-", "+").replaceAll("_", "/")), (c) => c.charCodeAt(0));
    Object.assign(PushManager.prototype, {
      getSubscription: () => Promise.resolve(current),
      subscribe: () => {
        current = {
          endpoint: given.endpoint,
          options: {},
          getKey: (name: "p256dh" | "auth") => bytes(given.keys[name]).buffer,
          toJSON: () => given,
          unsubscribe: () => {
            current = null;
            return Promise.resolve(true);
          },
        };
        return Promise.resolve(current);
      },
    });
  }, subscription);
}

test("a browser gets a flagged update, until its person turns that off", async ({ open }) => {
  const service = await pushService();
  const office = await open("desktop", "en", { serviceWorkers: "allow" });
  await subscribeWith(office, service.subscription);
  const { call } = await company(office, unique("Push Works"));
  const username = await operator(call);
  const excavator = await machine(call, "Excavator", { currentUsage: 4800 });
  const field = await open("phone", "es");
  await operatorIn(field, username);

  const page = await office.newPage();
  await page.goto("/notifications");
  const row = page.getByRole("region", { name: t("notifications.device.title") });
  await row.getByRole("button", { name: t("notifications.device.turnOn") }).click();
  await expect(row.getByRole("status")).toHaveText(t("notifications.device.on"));

  const update = { equipmentId: excavator, newUsage: 48_085 };
  await caller(field)("POST", "/api/operator-updates", update);
  await expect.poll(() => service.payloads.length).toBe(1);
  const [payload = ""] = service.payloads;
  expect(JSON.parse(payload)).toMatchObject({ title: "Flagged report: Excavator" });

  await row.getByRole("button", { name: t("notifications.device.test") }).click();
  await expect.poll(() => service.payloads.length).toBe(2);
  await row.getByRole("button", { name: t("notifications.device.turnOff") }).click();
  await expect(row.getByRole("button", { name: t("notifications.device.turnOn") })).toBeVisible();
  service.stop();
});
