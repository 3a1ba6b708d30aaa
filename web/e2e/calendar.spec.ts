import { expect } from "@playwright/test";
import { test } from "./fixtures";
import { company, machine, unique } from "./people";

test("a calendar program reads due services at an address until it is removed", async ({
  open,
  playwright,
  baseURL,
}) => {
  const context = await open("desktop", "en");
  const { call } = await company(context, unique("Calendar Works"));
  const dozer = await machine(call, "Dozer");
  await call("POST", `/api/equipment/${dozer}/service-tasks`, {
    name: "Inspection",
    calendarInterval: 2,
    calendarUnit: "months",
  });
  const page = await context.newPage();
  await page.goto("/service");
  await page.getByRole("button", { name: "Add to my calendar" }).click();
  const dialog = page.getByRole("dialog", { name: "Service in your calendar" });
  await dialog.getByRole("button", { name: "Create address" }).click();
  const address = await dialog.getByLabel("Calendar address").inputValue();

  const program = await playwright.request.newContext({ baseURL: baseURL ?? "" });
  const calendar = await program.get(address);
  expect(calendar.headers()["content-type"]).toBe("text/calendar; charset=utf-8");
  expect(await calendar.text()).toContain("SUMMARY:Dozer: Inspection");

  await dialog.getByRole("button", { name: "Remove the address" }).click();
  const question = page.getByRole("alertdialog", { name: "Remove the calendar address?" });
  await question.getByRole("button", { name: "Remove the address" }).click();
  await expect(dialog.getByRole("button", { name: "Create address" })).toBeVisible();
  expect((await program.get(address)).status()).toBe(404);
  await program.dispose();
});
