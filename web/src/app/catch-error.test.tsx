import { render, screen } from "@testing-library/react";
import { expect, it, vi } from "vitest";
import { CatchError } from "./catch-error";

it("shows the fallback after an error, and reports it once", () => {
  vi.spyOn(console, "error").mockImplementation(() => undefined);
  const onError = vi.fn<() => void>();
  function Failing(): never {
    throw new Error("a defect");
  }
  render(
    <CatchError fallback="Loading" onError={onError}>
      <Failing />
    </CatchError>,
  );
  expect(screen.getByText("Loading")).toBeTruthy();
  expect(onError).toHaveBeenCalledTimes(1);
});
