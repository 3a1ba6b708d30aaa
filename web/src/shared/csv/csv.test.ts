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
  ])("quotes %j where it must", (text, expected) => {
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

  it("leaves empty what there is not", () => {
    expect(line(null, Number.NaN, "x")).toBe(",,x\r\n");
  });
});
