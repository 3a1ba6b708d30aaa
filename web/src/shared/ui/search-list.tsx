import { clsx } from "clsx";
import { Search } from "lucide-react";
import {
  useEffect,
  useEffectEvent,
  useId,
  useState,
  type KeyboardEvent,
  type ReactNode,
} from "react";
import { inputClass } from "./input-class";

export interface SearchOption {
  key: string;
  icon?: ReactNode;
  label: ReactNode;
  /** A second, muted line. */
  note?: ReactNode;
  onChoose: () => void;
}

export interface SearchGroup {
  key: string;
  title: string;
  options: readonly SearchOption[];
}

/**
 * A search field with its results. The focus stays in the field; arrow keys, Home and End move the
 * highlight, Enter chooses. The first result is highlighted. An Enter before the results of the
 * typed text waits for them.
 */
export function SearchList({
  label,
  value,
  onChange,
  groups,
  settled,
  status,
  children,
}: {
  /** The placeholder and the accessible name. */
  label: string;
  value: string;
  onChange: (value: string) => void;
  groups: readonly SearchGroup[];
  /** Whether the groups are the results of `value`, not of an earlier search. */
  settled: boolean;
  /** Announced when it changes, e.g. the number of results. */
  status: string;
  /** Below the results, e.g. an empty state. */
  children?: ReactNode;
}) {
  const id = useId();
  const [highlighted, setHighlighted] = useState<{ key: string; value: string } | null>(null);
  const options = groups.flatMap((group) =>
    group.options.map((option) => ({ ...option, key: `${group.key} ${option.key}` })),
  );
  // A highlight belongs to the results of one search.
  const found = options.findIndex(
    ({ key }) => highlighted?.value === value && key === highlighted.key,
  );
  const active = Math.max(found, 0);
  const activeKey = options[active]?.key;
  const idOf = (key: string) => `${id}-${key}`;
  const activeId = activeKey === undefined ? undefined : idOf(activeKey);
  useEffect(() => {
    if (activeId) document.getElementById(activeId)?.scrollIntoView({ block: "nearest" });
  }, [activeId]);
  const [awaiting, setAwaiting] = useState(false);
  const choose = () => options[active]?.onChoose();
  const chooseAwaited = useEffectEvent(choose);
  const isChosen = awaiting && settled;
  useEffect(() => {
    if (isChosen) chooseAwaited();
  }, [isChosen]);
  const moveTo = (index: number) => {
    const next = options.at(index % Math.max(options.length, 1));
    if (next) setHighlighted({ key: next.key, value });
  };
  const moves: Record<string, () => void> = {
    ArrowDown: () => moveTo(active + 1),
    ArrowUp: () => moveTo(active - 1),
    PageDown: () => moveTo(Math.min(active + 8, options.length - 1)),
    PageUp: () => moveTo(Math.max(active - 8, 0)),
    Enter: settled ? choose : () => setAwaiting(true),
  };
  // In a text, Home and End move the caret.
  if (value === "") {
    moves["Home"] = () => moveTo(0);
    moves["End"] = () => moveTo(-1);
  }
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === "Escape") setAwaiting(false);
    const move = moves[event.key];
    if (!move || event.nativeEvent.isComposing || event.altKey || event.metaKey) return;
    event.preventDefault();
    move();
  };
  return (
    <div className="flex min-h-0 flex-col">
      <div className="relative">
        <Search
          aria-hidden
          className="pointer-events-none absolute top-1/2 left-3 size-4 -translate-y-1/2 text-muted"
        />
        <input
          type="text"
          role="combobox"
          aria-label={label}
          aria-expanded={options.length > 0}
          aria-controls={options.length > 0 ? id : undefined}
          aria-autocomplete="list"
          aria-activedescendant={activeId}
          placeholder={label}
          maxLength={100}
          autoComplete="off"
          autoCapitalize="none"
          spellCheck={false}
          enterKeyHint="go"
          value={value}
          onChange={(event) => {
            setAwaiting(false);
            onChange(event.target.value);
          }}
          onKeyDown={onKeyDown}
          className={clsx(inputClass, "pl-9")}
        />
      </div>
      <p role="status" className="sr-only">
        {status}
      </p>
      <div className="mt-2 h-[50dvh] overflow-y-auto">
        {options.length > 0 && (
          <div id={id} role="listbox" aria-label={label}>
            {groups.map(
              (group) =>
                group.options.length > 0 && (
                  <div key={group.key} role="group" aria-labelledby={idOf(group.key)}>
                    <p
                      id={idOf(group.key)}
                      role="presentation"
                      className="px-2 pt-3 pb-1 text-xs font-semibold text-muted"
                    >
                      {group.title}
                    </p>
                    {group.options.map((option) => {
                      const key = `${group.key} ${option.key}`;
                      return (
                        <Option
                          key={key}
                          id={idOf(key)}
                          option={option}
                          active={key === activeKey}
                          onHighlight={() => setHighlighted({ key, value })}
                        />
                      );
                    })}
                  </div>
                ),
            )}
          </div>
        )}
        {children}
      </div>
    </div>
  );
}

function Option({
  id,
  option: { icon, label, note, onChoose },
  active,
  onHighlight,
}: {
  id: string;
  option: SearchOption;
  active: boolean;
  onHighlight: () => void;
}) {
  return (
    <button
      type="button"
      tabIndex={-1}
      id={id}
      role="option"
      aria-selected={active}
      onPointerMove={active ? undefined : onHighlight}
      // The field keeps the focus.
      onPointerDown={(event) => event.preventDefault()}
      onClick={onChoose}
      className={clsx(
        "flex min-h-11 w-full items-center gap-3 rounded-control px-2 py-1.5 text-left",
        active && "bg-accent-soft",
      )}
    >
      {icon}
      <span className="min-w-0 flex-1">
        <span className="block truncate font-semibold">{label}</span>
        {note != null && <span className="block truncate text-sm text-muted">{note}</span>}
      </span>
    </button>
  );
}
