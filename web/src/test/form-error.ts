import { screen, waitFor } from "@testing-library/react";
import { expect } from "vitest";

/** The form shows this error, which a toast announces. */
export async function expectFormError(text: string | RegExp): Promise<void> {
  await waitFor(() => {
    const shown = screen.getAllByText(text).filter((element) => element.closest("form"));
    expect(shown).not.toEqual([]);
  });
  expect(screen.queryByRole("alert")).toBeNull();
}

/** The lines of the error that the form itself announces. */
export async function formAlert(): Promise<Array<string | null>> {
  const alert = await screen.findByRole("alert");
  expect(alert.closest("form")).not.toBeNull();
  return Array.from(alert.querySelectorAll("p"), (line) => line.textContent);
}
