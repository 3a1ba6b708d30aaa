import { useKeysOn } from "./keys-choice";

/** The single key of a menu item, while such keys are on. It is no part of the item's name. */
export function KeyHint({ letter }: { letter: string }) {
  return (
    useKeysOn() && (
      <kbd
        aria-hidden
        className="ml-auto rounded-control border border-control-line bg-sunken px-1.5 font-mono text-xs text-muted max-md:hidden pointer-coarse:hidden"
      >
        {letter}
      </kbd>
    )
  );
}
