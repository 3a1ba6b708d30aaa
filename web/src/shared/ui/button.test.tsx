import { render, screen } from "@testing-library/react";
import { expect, test, vi } from "vitest";
import { Button } from "./button";
import { TooltipProvider } from "./tooltip";

function Save({ reason }: { reason: string | undefined }) {
  return (
    <TooltipProvider>
      <Button disabledReason={reason}>Save</Button>
    </TooltipProvider>
  );
}

test("a button that is blocked while it has the focus keeps it, and says why", () => {
  // The tooltip watches sizes, of which jsdom has none.
  vi.stubGlobal(
    "ResizeObserver",
    class {
      observe() {}
      unobserve() {}
      disconnect() {}
    },
  );
  const { rerender } = render(<Save reason={undefined} />);
  const button = screen.getByRole("button", { name: "Save" });
  button.focus();
  rerender(<Save reason="Nothing to save" />);
  expect(document.activeElement).toBe(button);
  expect(screen.getByRole("button", { name: "Save" }).getAttribute("aria-disabled")).toBe("true");
  expect(screen.getByRole("button", { description: /^Nothing to save/ })).toBe(button);
  rerender(<Save reason={undefined} />);
  expect(document.activeElement).toBe(button);
});
