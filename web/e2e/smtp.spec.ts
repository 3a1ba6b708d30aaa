import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { rm } from "node:fs/promises";
import { createServer } from "node:net";
import { text } from "node:stream/consumers";
import { expect, test } from "@playwright/test";
import { SMTPServer } from "smtp-server";
import { signUp, unique } from "./people";
import { words } from "./words";

const account = { user: "hourmeter", password: "relay-4-tests" };

/** A mail server that defers the first mail, as greylisting does. */
async function relay() {
  const mails: { to: string[]; text: string }[] = [];
  let attempts = 0;
  const server = new SMTPServer({
    disabledCommands: ["STARTTLS"],
    allowInsecureAuth: true,
    onAuth: ({ username, password }, _, done) =>
      username === account.user && password === account.password
        ? done(null, { user: username })
        : done(new Error("wrong password")),
    onMailFrom: (_, __, done) => {
      attempts += 1;
      done(attempts > 1 ? null : Object.assign(new Error("try later"), { responseCode: 451 }));
    },
    onData: (stream, { envelope }, done) => {
      void text(stream).then((body) => {
        mails.push({ to: envelope.rcptTo.map(({ address }) => address), text: body });
        done();
      });
    },
  });
  const { port } = await listen(server);
  return { mails, url: `smtp://${account.user}:${account.password}@127.0.0.1:${port}`, server };
}

async function listen(server: SMTPServer | ReturnType<typeof createServer>) {
  const net = server instanceof SMTPServer ? server.server : server;
  server.listen(0, "127.0.0.1");
  await once(net, "listening");
  const address = net.address();
  if (typeof address !== "object" || !address) throw new Error("the server has no port");
  return address;
}

async function freePort(): Promise<number> {
  const server = createServer();
  const { port } = await listen(server);
  server.close();
  await once(server, "close");
  return port;
}

async function start(dataDir: string, port: number, smtpUrl: string): Promise<ChildProcess> {
  const product = spawn(process.env.PRODUCT ?? "", {
    stdio: "ignore",
    env: {
      PATH: process.env.PATH,
      APP_ENV: "test",
      DATA_DIR: dataDir,
      MAIL_FROM: "Hourmeter <mail@example.com>",
      PORT: String(port),
      PUBLIC_ORIGIN: `http://127.0.0.1:${port}`,
      SMTP_URL: smtpUrl,
      WEB_DIR: "dist",
    },
  });
  const isReady = async () => {
    expect(product.exitCode).toBeNull();
    const response = await fetch(`http://127.0.0.1:${port}/readyz`).catch(() => null);
    return response?.ok ?? false;
  };
  await expect.poll(isReady, { timeout: 240_000 }).toBe(true);
  return product;
}

async function stop(product: ChildProcess) {
  const ended = once(product, "exit");
  product.kill("SIGTERM");
  await ended;
}

/** Without the line breaks of the encoding. */
const decoded = (mail: { text: string } | undefined) =>
  mail?.text.replaceAll("=\r\n", "").replaceAll("=3D", "=") ?? "";

test("verification and digest go through a mail server, once, and one POST ends the digest", async ({
  browser,
}) => {
  test.skip(!process.env.PRODUCT, "starts the product with another setting");
  const t = words("en");
  const { mails, url, server } = await relay();
  // Made by the product: as root its database runs as another user.
  const dataDir = `/var/tmp/hourmeter-e2e-smtp-${process.getuid?.() ?? 0}`;
  await rm(dataDir, { recursive: true, force: true });
  const port = await freePort();
  let product = await start(dataDir, port, url);
  try {
    const baseURL = `http://127.0.0.1:${port}`;
    const context = await browser.newContext({ baseURL, serviceWorkers: "block" });
    const page = await context.newPage();
    const email = await signUp(page, t, unique("Relay"));
    await page.goto("/profile");
    await page.getByRole("button", { name: t("profile.verification.send") }).click();
    // It was deferred once.
    await expect.poll(() => mails.length, { timeout: 120_000 }).toBe(1);
    const link = /http:\S+\/verify-email#[\w-]+/.exec(decoded(mails[0]))?.[0];
    await page.goto(link ?? "");
    await page.getByRole("button", { name: t("verify-email.submit") }).click();
    await expect(page.getByRole("heading", { name: t("verify-email.done") })).toBeVisible();

    await page.goto("/profile");
    await page.getByRole("button", { name: t("digest.send") }).click();
    await expect.poll(() => mails.length, { timeout: 60_000 }).toBe(2);
    const digest = mails[1];
    expect(digest?.to).toEqual([email]);
    for (const part of [
      /^From: Hourmeter <mail@example\.com>\r$/m,
      /^Subject: Hourmeter: /m,
      /^Message-ID: <[\w-]+@example\.com>\r$/m,
      /^Auto-Submitted: auto-generated\r$/m,
      /^List-Unsubscribe-Post: List-Unsubscribe=One-Click\r$/m,
      /^Content-Type: multipart\/alternative/m,
      /^Content-Type: text\/plain/m,
      /^Content-Type: text\/html/m,
    ]) {
      expect(digest?.text).toMatch(part);
    }
    await context.close();

    // A second start sends nothing again.
    await stop(product);
    product = await start(dataDir, port, url);
    const address = /^List-Unsubscribe: <(?<address>.*)>\r$/m.exec(digest?.text ?? "");
    const ended = await fetch(address?.groups?.address ?? "", {
      method: "POST",
      headers: { "Content-Type": "application/x-www-form-urlencoded" },
      body: "List-Unsubscribe=One-Click",
    });
    expect(ended.status).toBe(204);
    // Longer than the outbox waits between two rounds.
    await new Promise((resolve) => setTimeout(resolve, 3000));
    expect(mails).toHaveLength(2);
  } finally {
    await stop(product);
    server.close();
    await rm(dataDir, { recursive: true, force: true });
  }
});
