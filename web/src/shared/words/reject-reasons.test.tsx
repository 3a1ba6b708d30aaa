import { act, render, screen } from "@testing-library/react";
import { expect, it } from "vitest";
import { changeLanguage, languages } from "#/i18n";
import en from "#/i18n/locales/en/review.json";
import es from "#/i18n/locales/es/review.json";
import { suggestedReasons, useReasonText } from "./reject-reasons";

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

it("knows the suggestions of the reject dialog without the texts of both languages", () => {
  const files = { en, es };
  for (const language of languages) {
    expect(suggestedReasons[language]).toEqual(Object.values(files[language].reasons));
  }
});
