import { describe, expect, it } from "vitest";
import { csv, type Cell } from "./csv";

const line = (...cells: Cell[]) => csv(["h"], [cells]).split("h\r\n")[1];

describe("csv", () => {
  it("begins with a byte order mark and ends every line with CRLF", () => {
    expect(csv(["Name", "Hours"], [["Excavadora ñ", 4812.5]])).toBe(
      "\uFEFFName,Hours\r\nExcavadora ñ,4812.5\r\n",
    );
  });

  it("is the header alone without rows", () => {
    expect(csv(["Name", "Type"], [])).toBe("\uFEFFName,Type\r\n");
  });

  it.each([
    ['12" auger', '"12"" auger"\r\n'],
    ["Loader, big", '"Loader, big"\r\n'],
    ["two\nlines", '"two\nlines"\r\n'],
    ["two\r\nlines", '"two\r\nlines"\r\n'],
    [" spaced ", " spaced \r\n"],
    ["", "\r\n"],
  ])("quotes %j if needed", (text, expected) => {
    expect(line(text)).toBe(expected);
  });

  it.each(["=", "+", "-", "@", "\t", "\u0000", "\u007F", "＝", "＋", "－", "＠"])(
    "neutralises a text that begins with %j",
    (start) => {
      expect(line(`${start}cmd`)).toBe(`'${start}cmd\r\n`);
    },
  );

  it.each(["\r", "\n"])("neutralises and quotes a text that begins with %j", (start) => {
    expect(line(`${start}=1`)).toBe(`"'${start}=1"\r\n`);
  });

  it("neutralises before it quotes", () => {
    expect(line('=HYPERLINK("http://x","y")')).toBe('"\'=HYPERLINK(""http://x"",""y"")"\r\n');
    expect(line("-1+1")).toBe("'-1+1\r\n");
    expect(line("+52 55 1234")).toBe("'+52 55 1234\r\n");
  });

  it("leaves plain numbers alone, as numbers and as text", () => {
    expect(line(-3, 0, 0.1, "-12.5", "+7")).toBe("-3,0,0.1,-12.5,+7\r\n");
  });

  it("leaves missing values empty", () => {
    expect(line(null, Number.NaN, "x")).toBe(",,x\r\n");
  });

  it("reads back what was drawn, and no cell begins a formula", () => {
    const random = seeded(41);
    for (let turn = 0; turn < 5000; turn += 1) {
      const drawn = Array.from({ length: 1 + random(4) }, () => drawText(random));
      const [head, ...cells] = read(csv(["h"], [drawn]).slice(1)).flat();
      expect(head).toBe("h");
      expect(cells).toHaveLength(drawn.length);
      cells.forEach((cell, place) => {
        const text = drawn[place];
        expect([text, `'${text}`]).toContain(cell);
        expect(/^[=+\-@\t\r\n\0]/.test(cell) && !/^[+-][\d.]+$/.test(cell)).toBe(false);
      });
    }
  });
});

/** A deterministic pseudo-random generator. */
function seeded(seed: number): (bound: number) => number {
  let state = seed;
  return (bound) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * bound);
  };
}

function drawText(random: (bound: number) => number): string {
  const odd = ["=", "+", "-", "@", "\t", "\r", "\n", "\0", '"', ",", "'", "1", ".", "ñ", "＝", " "];
  const pick = () =>
    random(8) === 0 ? String.fromCodePoint(random(0xd800)) : odd[random(odd.length)];
  return Array.from({ length: random(7) }, pick).join("");
}

/** Parses RFC 4180. */
function read(text: string): string[][] {
  const records: string[][] = [[]];
  const cell = /(?:"((?:[^"]|"")*)"|([^",\r\n]*))(,|\r\n)/gy;
  for (let match = cell.exec(text); match; match = cell.exec(text)) {
    const [, quoted, plain = "", end] = match;
    records.at(-1)?.push(quoted === undefined ? plain : quoted.replaceAll('""', '"'));
    if (end === "\r\n") records.push([]);
    if (cell.lastIndex === text.length) return records.slice(0, -1);
  }
  throw new Error(`no record: ${JSON.stringify(text)}`);
}
