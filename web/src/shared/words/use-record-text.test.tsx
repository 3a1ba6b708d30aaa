import { renderHook } from "@testing-library/react";
import { afterEach, describe, expect, it } from "vitest";
import { changeLanguage, type Language } from "#/i18n";
import { useRecordText } from "./use-record-text";

async function textIn(language: Language) {
  await changeLanguage(language);
  return renderHook(() => useRecordText()).result.current;
}

afterEach(() => changeLanguage("en"));

const added = 'Service task "Oil filter" added: every 250 hours or 6 months';
const changed =
  'Service task "Belts" changed: Name: Belts → V-belts; Usage interval: 500 → 0; ' +
  "Calendar interval: none → 1 year; Last done at: 1000.5 → 900; Last done on: 2026-03-10 → none";

describe("a change of a service task", () => {
  it("is translated into Spanish", async () => {
    const text = await textIn("es");
    expect(text.edit(added)).toBe(
      'Tarea de servicio "Oil filter" agregada: cada 250 horas o 6 meses',
    );
    expect(text.edit('Service task "Belts" added: every 1 day')).toBe(
      'Tarea de servicio "Belts" agregada: cada día',
    );
    expect(text.edit('Service task "Belts" removed')).toBe('Tarea de servicio "Belts" eliminada');
    expect(text.edit(changed).split("\n")).toEqual([
      'Tarea de servicio "Belts" modificada',
      "Nombre de la tarea: Belts → V-belts",
      "Intervalo de uso: 500 → ninguno",
      "Intervalo de calendario: ninguno → 1 año",
      "Última vez a los: 1,000.5 → 900",
      "Última vez el día: 10 mar 2026 → ninguno",
    ]);
    const rule = "Regular service changed: Counts: from the last service → on the mark";
    expect(text.edit(rule).split("\n")).toEqual([
      "Servicio regular modificado",
      "El siguiente se cuenta desde: Cuando se hizo → Marcas fijas",
    ]);
  });

  it("is unchanged in English", async () => {
    expect((await textIn("en")).edit(added)).toBe(added);
  });
});

describe("an edit of a service", () => {
  const edited = (reason: string) => ({
    reason,
    undone: false,
    replacedBy: "new",
  });

  it("is translated field by field", async () => {
    const text = await textIn("es");
    const all =
      "Cost: $125.50 → none; Performed on: 2026-03-09 → 2026-03-08; Notes: A → B; Cost: 1";
    expect(text.voided("Ana", "1 ene", edited(all)).split("\n")).toEqual([
      "Editado por Ana el 1 ene:",
      "Costo: $125.50 → ninguno",
      "Fecha del servicio: 9 mar 2026 → 8 mar 2026",
      "Notas del servicio: A → B; Cost: 1",
    ]);
  });

  it("may be of one field, with lines and arrows in the notes", async () => {
    const text = await textIn("en");
    const edit = (changes: string) => text.voided("Ana", "Jan 1", edited(changes));
    expect(edit("Notes: none → A → B\nC")).toBe(
      "Edited by Ana on Jan 1:\nService notes: none → A → B\nC",
    );
    expect(edit("Performed on: 2026-03-09 → 2026-03-08")).toBe(
      "Edited by Ana on Jan 1:\nDate of service: Mar 9, 2026 → Mar 8, 2026",
    );
  });
});

describe("a service", () => {
  const content = "All good\nCost: $125.50\nPerformed on 2026-02-03";

  it("has its cost and its day in the reader's language", async () => {
    expect((await textIn("es")).service(content)).toBe(
      "All good\nCosto: $125.50\nRealizado el 3 feb 2026",
    );
  });

  it("can omit them", async () => {
    expect((await textIn("en")).serviceNotes(content)).toBe("All good");
    expect((await textIn("en")).serviceNotes("Cost: $1.00")).toBe("");
  });
});

describe("a meter that ended", () => {
  const replaced =
    "Meter replaced: the old one ended at 4812.5 hours, the new one began at 0 hours. It shows 1 hours.\nGlass broken";

  it("is translated, with formatted numbers", async () => {
    expect((await textIn("en")).update(replaced).split("\n")).toEqual([
      "The old meter ended at 4,812.5 hours, the new one started at 0 hours.",
      "It showed 1 hour at that time.",
      "Glass broken",
    ]);
    expect((await textIn("es")).update(replaced).split("\n")).toEqual([
      "El medidor anterior terminó en 4,812.5 horas y el nuevo empezó en 0 horas.",
      "En ese momento marcaba 1 hora.",
      "Glass broken",
    ]);
  });

  it("is translated among the notes of services too", async () => {
    const text = await textIn("en");
    expect(text.service(replaced)).toBe(text.update(replaced));
  });

  it("leaves out the operator's note of it", async () => {
    const text = await textIn("en");
    const noted = replaced.replace("Glass", "Medidor cambiado\nGlass");
    expect(text.update(noted)).toBe(text.update(replaced));
    expect(text.service(noted)).toBe(text.service(replaced));
    expect(text.update("Meter replaced: broken\nMedidor cambiado")).toBe(
      "Meter replaced: broken\nMeter replaced",
    );
  });

  it("may have rolled over", async () => {
    const content = "Meter began again after 100000 miles.";
    const noted = `${content}\nMedidor cambiado`;
    expect((await textIn("en")).service(noted)).toMatch(/ miles\.\nMeter replaced$/);
    expect((await textIn("en")).update(content)).toBe("The meter rolled over at 100,000 miles.");
    expect((await textIn("es")).update(content)).toBe(
      "El medidor dio la vuelta al llegar a 100,000 millas.",
    );
  });
});
