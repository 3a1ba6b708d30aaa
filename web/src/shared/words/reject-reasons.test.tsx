import { act, render, screen } from "@testing-library/react";
import { expect, it } from "vitest";
import { changeLanguage } from "#/i18n";
import { useReasonText } from "./reject-reasons";

function Reasons() {
  const text = useReasonText();
  return (
    <p>{["Wrong machine", "Equipo equivocado", " Duplicado ", "UNDONE"].map(text).join("|")}</p>
  );
}

it("translates a suggested reason, whatever language it was given in", async () => {
  await changeLanguage("en");
  render(<Reasons />);
  expect(screen.getByText("Wrong machine|Wrong machine|Duplicate|UNDONE")).toBeTruthy();
  await act(() => changeLanguage("es"));
  expect(screen.getByText("Equipo equivocado|Equipo equivocado|Duplicado|UNDONE")).toBeTruthy();
});
