import { createServer } from "node:http";
import { text } from "node:stream/consumers";
import { expect } from "@playwright/test";
import { test } from "./fixtures";
import { caller, company, machine, operator, operatorIn, unique } from "./people";
import { words } from "./words";

// The product sends to one address, so all tests of text messages are in this file.
const port = Number(process.env.SMS_PORT);
const auth = `Basic ${Buffer.from("key:secret").toString("base64")}`;

interface Message {
  auth: string | undefined;
  to: string | null;
  from: string | null;
  body: string;
}

/** A provider of text messages that keeps what it receives. */
async function provider() {
  const messages: Message[] = [];
  const server = createServer((request, response) => {
    void text(request).then((form) => {
      const fields = new URLSearchParams(form);
      messages.push({
        auth: request.headers.authorization,
        to: fields.get("To"),
        from: fields.get("From"),
        body: fields.get("Body") ?? "",
      });
      response.writeHead(201, { "Content-Type": "application/json" }).end("{}");
    });
  });
  await new Promise<void>((resolve) => server.listen(port, "127.0.0.1", resolve));
  return { messages, stop: () => void server.close() };
}

test.skip(!port, "the product needs SMS_API, http://127.0.0.1:$SMS_PORT/messages");

test("an operator without internet reads that a machine is out of service", async ({ open }) => {
  const t = words("es");
  const { messages, stop } = await provider();
  const office = await open("desktop", "en");
  const { call } = await company(office, unique("Text Works"));
  const username = await operator(call);
  const excavator = await machine(call, "Excavadora 7");
  const phone = await open("phone", "es");
  await operatorIn(phone, username);
  const update = { equipmentId: excavator, newUsage: 1004 };
  await caller(phone)("POST", "/api/operator-updates", update);

  const page = await phone.newPage();
  await page.goto("/notifications");
  const row = page.getByRole("region", { name: t("notifications.sms.title") });
  await row.getByRole("button", { name: t("notifications.sms.add") }).click();
  const press = (name: string) =>
    page.getByRole("dialog").getByRole("button", { name, exact: true }).click();
  await page.getByLabel(t("notifications.sms.number")).fill("+52 81 5555 0199");
  await press(t("notifications.sms.send"));
  await expect(page.getByRole("dialog", { name: t("notifications.sms.codeTitle") })).toBeVisible();
  await expect.poll(() => messages.length).toBe(1);
  const [sent] = messages;
  expect(sent).toMatchObject({ auth, to: "+528155550199", from: "+15005550006" });
  const [code = ""] = /\b\d{6}\b/.exec(sent?.body ?? "") ?? [];
  expect(code).not.toBe("");

  const field = page.getByLabel(t("notifications.sms.code"), { exact: true });
  await field.fill(code === "123456" ? "654321" : "123456");
  await press(t("notifications.sms.verify"));
  await expect(field).toHaveAttribute("aria-invalid", "true");
  await field.fill(code);
  await press(t("notifications.sms.verify"));
  const kinds = page.getByRole("dialog", { name: t("notifications.sms.kindsTitle") });
  await kinds.getByRole("checkbox", { name: t("notifications.settings.returned") }).uncheck();
  await press(t("notifications.settings.save"));
  const chosen = `•••• 0199 · ${t("notifications.settings.status")}`;
  await expect(row.getByRole("status")).toHaveText(chosen);

  await call("PATCH", `/api/equipment/${excavator}`, { operationalStatus: "out_of_service" });
  await expect.poll(() => messages.length, { timeout: 120_000 }).toBe(2);
  expect(messages[1]).toMatchObject({ auth, to: "+528155550199" });
  expect(messages[1]?.body).toMatch(
    /Excavadora 7.*fuera de servicio|fuera de servicio.*Excavadora 7/,
  );

  await row.getByRole("button", { name: t("notifications.sms.remove") }).click();
  const question = page.getByRole("alertdialog");
  await question.getByRole("button", { name: t("notifications.sms.remove") }).click();
  await expect(row.getByRole("button", { name: t("notifications.sms.add") })).toBeVisible();
  stop();
});
