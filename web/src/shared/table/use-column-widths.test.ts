import { act, renderHook } from "@testing-library/react";
import { expect, it, vi } from "vitest";
import { useColumnWidths } from "./use-column-widths";

it("measures again when the web font is loaded", () => {
  const fonts = new EventTarget();
  Object.defineProperty(document, "fonts", { value: fonts, configurable: true });
  vi.stubGlobal(
    "ResizeObserver",
    class {
      observe = () => undefined;
      disconnect = () => undefined;
    },
  );
  const table = document.createElement("table");
  const cell = table.createTHead().insertRow().insertCell();
  Object.defineProperty(table, "clientWidth", { value: 300 });
  const size = vi.spyOn(cell, "getBoundingClientRect");
  size.mockReturnValue(new DOMRect(0, 0, 120, 40));
  const columns = {};
  const { result } = renderHook(() => useColumnWidths({ current: table }, true, columns));
  expect(result.current).toEqual([120]);
  size.mockReturnValue(new DOMRect(0, 0, 132, 40));
  act(() => void fonts.dispatchEvent(new Event("loadingdone")));
  expect(result.current).toEqual([132]);
  Reflect.deleteProperty(document, "fonts");
});
