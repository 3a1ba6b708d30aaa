import { expect, test } from "@playwright/test";
import { company, machine, open, operator, operatorIn, unique } from "./people";

// The table "Screens and routes": one test a row, by the words that stand there.

type Cookies = Awaited<ReturnType<typeof company>>["signedIn"];
let owner: Cookies;
let crew: Cookies;
let excavator: string;

test.beforeAll(async ({ browser }) => {
  const office = await open(browser, "desktop", "en");
  const made = await company(office, unique("Route Works"));
  owner = made.signedIn;
  excavator = await machine(made.call, "Excavator");
  const username = await operator(made.call);
  const field = await open(browser, "phone", "en");
  await operatorIn(field, username);
  crew = await field.storageState();
  await office.close();
  await field.close();
});

const titles: ReadonlyArray<[path: string, title: string]> = [
  ["/", "Dashboard"],
  ["/add-equipment", "Add Equipment"],
  ["/equipment-list", "Equipment List"],
  ["/employees", "Operators"],
  ["/subscription", "Subscription"],
  ["/instructions", "Instructions"],
  ["/contact", "Contact Support"],
  ["/profile", "Profile"],
  ["/settings", "Settings"],
  ["/retired-equipment", "Retired Equipment"],
  ["/equipment/all", "All Equipment"],
  ["/equipment/good", "Service OK"],
  ["/equipment/approaching", "Approaching Service"],
  ["/equipment/due", "Service Due"],
  ["/equipment/overdue", "Overdue Service"],
];

for (const [path, title] of titles) {
  test(`${path} is titled ${title}`, async ({ browser }) => {
    const context = await open(browser, "desktop", "en", { storageState: owner });
    const page = await context.newPage();
    await page.goto(path);
    await expect(page).toHaveTitle(`${title} - Equipment Management`);
    await expect(page.getByRole("heading", { level: 1 })).toBeVisible();
    await context.close();
  });
}

test("/add-equipment?edit={id} is titled Edit Equipment, and /add leads there", async ({
  browser,
}) => {
  const context = await open(browser, "desktop", "en", { storageState: owner });
  const page = await context.newPage();
  await page.goto(`/add?edit=${excavator}`);
  await expect(page).toHaveURL(`/add-equipment?edit=${excavator}`);
  await expect(page).toHaveTitle("Edit Equipment - Equipment Management");
  await expect(page.getByLabel("Equipment Name")).toHaveValue("Excavator");
  await context.close();
});

for (const [long, short] of [
  ["approaching_service", "approaching"],
  ["time_for_service", "due"],
] as const) {
  test(`/equipment/${long} is the same as /equipment/${short}`, async ({ browser }) => {
    const context = await open(browser, "desktop", "en", { storageState: owner });
    const page = await context.newPage();
    await page.goto(`/equipment/${long}`);
    await expect(page).toHaveURL(`/equipment/${short}`);
    await context.close();
  });
}

test("any other path is a 404 page for owners and managers", async ({ browser }) => {
  const context = await open(browser, "desktop", "en", { storageState: owner });
  const page = await context.newPage();
  for (const path of ["/nope", "/equipment/broken", "/equipment/item/nope"]) {
    await page.goto(path);
    await expect(page.getByRole("heading", { name: "Page not found" })).toBeVisible();
  }
  await context.close();
});

test("/ is titled Equipment Updates for operators, who see nothing else but their profile", async ({
  browser,
}) => {
  const context = await open(browser, "phone", "en", { storageState: crew });
  const page = await context.newPage();
  for (const path of ["/", "/equipment-list", "/employees", "/settings", "/nope"]) {
    await page.goto(path);
    await expect(page).toHaveTitle("Equipment Updates - Equipment Management");
  }
  await page.goto("/profile");
  await expect(page).toHaveTitle("Profile - Equipment Management");
  await context.close();
});
