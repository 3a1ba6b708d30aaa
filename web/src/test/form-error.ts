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
