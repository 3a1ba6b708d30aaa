import { readFileSync } from "node:fs";
import type { BrowserContext } from "@playwright/test";
import { send } from "./people";

/** Signs in as the owner of the demo company, whose plan has every premium feature. */
export async function demoOwner(context: BrowserContext) {
  const log = process.env.DEMO_LOG;
  if (!log) throw new Error("DEMO_LOG names the file with what the product printed at its start");
  const found = /owner .*\n\s+(?<email>\S+@\S+)\s{3}(?<password>\S+)/.exec(
    readFileSync(log, "utf8"),
  );
  const { email, password } = found?.groups ?? {};
  if (!email || !password) throw new Error(`no demo company in ${log}`);
  const answer = await send(context, "POST", "/api/auth/login", {
    emailOrBusinessName: email,
    password,
  });
  if (!answer.ok()) throw new Error(`the demo owner can't sign in: ${answer.status()}`);
}
