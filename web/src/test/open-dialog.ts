import { screen, within } from "@testing-library/react";
import axe from "axe-core";
import { expect } from "vitest";

const checked = new WeakSet<Element>();

/** The open dialog, which has no barriers. Contrast needs a browser (`e2e/screens.spec.ts`). */
export async function openDialog(
  name?: string | RegExp,
  role: "dialog" | "alertdialog" = "dialog",
) {
  const found = await screen.findByRole(role, name === undefined ? {} : { name });
  if (!checked.has(found)) {
    checked.add(found);
    expect(await barriers(found)).toEqual([]);
  }
  return within(found);
}

async function barriers(element: Element): Promise<string[]> {
  const { violations } = await axe.run(element, {
    resultTypes: ["violations"],
    rules: { "color-contrast": { enabled: false } },
  });
  return violations.map(({ id, nodes: [node] }) => `${id}: ${node?.html}`);
}
