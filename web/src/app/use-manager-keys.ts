import { useKeysOn } from "#/shared/keys/keys-choice";
import { useKeys, type Keys } from "#/shared/keys/use-keys";
import type { MachineEntry } from "./quick-add-kinds";

const repeatable = new Set(["j", "k"]);

/** The single-key shortcuts of every page. */
export function useManagerKeys({
  search,
  add,
  record,
  help,
}: {
  search: () => void;
  add: () => void;
  record: (entry: MachineEntry) => void;
  help: () => void;
}): void {
  const on = useKeysOn();
  const keys = (): Keys =>
    on
      ? {
          "/": search,
          "?": help,
          "+": add,
          l: () => record("reading"),
          f: () => record("fuel"),
          s: () => record("service"),
          n: () => record("note"),
          j: () => moveInList(1),
          k: () => moveInList(-1),
        }
      : {};
  useKeys(keys, repeatable, "application");
}

/** Focuses the link of the next or previous row, from where Enter opens it, or its checkbox. */
function moveInList(step: 1 | -1): void {
  const links = [...document.querySelectorAll("main [data-row-key]")]
    .map(
      (row) =>
        row.querySelector<HTMLElement>("a[href]") ??
        row.querySelector<HTMLElement>("input[type=checkbox]"),
    )
    .filter((link) => link !== null);
  const here = links.findIndex((link) =>
    link.closest("[data-row-key]")?.contains(document.activeElement),
  );
  const next = here === -1 ? (step === 1 ? 0 : -1) : here + step;
  if (next >= links.length || (here !== -1 && next < 0)) return;
  links.at(next)?.focus();
}
