import { clsx } from "clsx";
import { Check } from "lucide-react";
import { DropdownMenu as Radix } from "radix-ui";
import { createContext, use, useRef, type ReactElement, type ReactNode } from "react";

/** Tells the menu that it closes because a link is followed. */
const FollowLink = createContext<() => void>(() => undefined);

/** A list of actions behind a button. `trigger` is the button itself. */
export function Menu({
  trigger,
  align = "end",
  defaultOpen = false,
  children,
}: {
  trigger: ReactElement;
  align?: "start" | "end";
  /** Open from the first, for a menu that is made when its button is pressed. */
  defaultOpen?: boolean;
  children: ReactNode;
}) {
  const following = useRef(false);
  return (
    // Not modal: the modal kind locks scrolling by an injected <style>.
    <Radix.Root modal={false} defaultOpen={defaultOpen}>
      <Radix.Trigger asChild>{trigger}</Radix.Trigger>
      <Radix.Portal>
        <Radix.Content
          align={align}
          sideOffset={6}
          collisionPadding={12}
          onCloseAutoFocus={(event) => {
            // The focus goes to the new page, not back to the button.
            if (following.current) event.preventDefault();
            following.current = false;
          }}
          className="z-50 min-w-48 animate-[appear_120ms] rounded-card border border-line bg-raised p-1.5 shadow-overlay"
        >
          <FollowLink value={() => (following.current = true)}>{children}</FollowLink>
        </Radix.Content>
      </Radix.Portal>
    </Radix.Root>
  );
}

const row =
  "flex min-h-11 cursor-pointer items-center gap-2.5 rounded-control px-3 py-2 outline-none select-none data-highlighted:bg-accent-soft data-disabled:cursor-not-allowed data-disabled:opacity-60 md:min-h-9 md:py-1.5";

export function MenuItem({
  icon,
  danger = false,
  disabled = false,
  onSelect,
  children,
}: {
  icon?: ReactNode;
  danger?: boolean;
  disabled?: boolean;
  onSelect: () => void;
  children: ReactNode;
}) {
  return (
    <Radix.Item
      disabled={disabled}
      onSelect={onSelect}
      className={clsx(row, danger && "text-danger")}
    >
      {icon}
      {children}
    </Radix.Item>
  );
}

/** A link among the actions; the only child is the link itself. */
export function MenuLink({ children }: { children: ReactElement }) {
  const follow = use(FollowLink);
  return (
    <Radix.Item asChild className={row} onSelect={follow}>
      {children}
    </Radix.Item>
  );
}

export function MenuSeparator() {
  return <Radix.Separator className="mx-1 my-1.5 h-px bg-line" />;
}

/** One of several values; the chosen one is ticked. */
export function MenuChoice<Value extends string>({
  label,
  value,
  options,
  onChange,
}: {
  label: string;
  value: Value;
  options: ReadonlyArray<{ value: Value; label: string; icon?: ReactNode; lang?: string }>;
  onChange: (value: Value) => void;
}) {
  return (
    <Radix.RadioGroup
      value={value}
      onValueChange={(next) => {
        const chosen = options.find((option) => option.value === next);
        if (chosen) onChange(chosen.value);
      }}
    >
      <Radix.Label className="px-3 pt-1.5 pb-1 text-xs font-semibold text-muted">
        {label}
      </Radix.Label>
      {options.map((option) => (
        <Radix.RadioItem key={option.value} value={option.value} lang={option.lang} className={row}>
          {option.icon}
          <span className="grow">{option.label}</span>
          <Radix.ItemIndicator>
            <Check aria-hidden className="size-4 text-accent" />
          </Radix.ItemIndicator>
        </Radix.RadioItem>
      ))}
    </Radix.RadioGroup>
  );
}
