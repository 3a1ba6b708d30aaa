import { clsx } from "clsx";
import { Check } from "lucide-react";
import { DropdownMenu as Radix } from "radix-ui";
import { createContext, use, useRef, useState, type ReactElement } from "react";
import {
  Parts,
  type MenuChecksProps,
  type MenuChoiceProps,
  type MenuItemProps,
  type MenuPanelProps,
  type MenuParts,
} from "./menu-parts";

/** Closes the menu after a link was followed. */
const FollowLink = createContext<() => void>(() => undefined);

/** An initially open menu; its trigger opens it again. */
export function MenuPanel({ trigger, align, openedBy, children }: MenuPanelProps) {
  const following = useRef(false);
  const focusFirst = useRef(openedBy === "key");
  const [isOpen, setOpen] = useState(true);
  // A click without a pointer, by a shortcut or assistive technology, which Radix ignores.
  const openByClick = () => {
    focusFirst.current = true;
    setOpen(true);
  };
  return (
    // Not modal, because modal menus lock scrolling by an injected <style>.
    <Radix.Root modal={false} open={isOpen} onOpenChange={setOpen}>
      <Radix.Trigger asChild onClick={({ detail }) => detail === 0 && !isOpen && openByClick()}>
        {trigger}
      </Radix.Trigger>
      <Radix.Portal>
        <Radix.Content
          align={align}
          sideOffset={6}
          collisionPadding={12}
          // The key was pressed before Radix was loaded.
          onFocus={(event) => {
            if (!focusFirst.current || event.target !== event.currentTarget) return;
            focusFirst.current = false;
            event.currentTarget
              .querySelector<HTMLElement>("[role^=menuitem]:not([data-disabled])")
              ?.focus();
          }}
          onCloseAutoFocus={(event) => {
            // The focus goes to the new page, not back to the button.
            if (following.current) event.preventDefault();
            following.current = false;
          }}
          // Above a toast, which would cover its items.
          className="z-70 min-w-48 animate-[appear_120ms] rounded-card border border-line bg-raised p-1.5 shadow-overlay"
        >
          <FollowLink value={() => (following.current = true)}>
            <Parts value={parts}>{children}</Parts>
          </FollowLink>
        </Radix.Content>
      </Radix.Portal>
    </Radix.Root>
  );
}

const parts: MenuParts = { Item, Link, Separator, Choice, Checks };

const row =
  "flex min-h-11 cursor-pointer items-center gap-2.5 rounded-control px-3 py-2 outline-none select-none data-highlighted:bg-accent-soft data-disabled:cursor-not-allowed data-disabled:opacity-60 desk:min-h-9 desk:py-1.5";

function Item({ icon, danger = false, disabled = false, onSelect, children }: MenuItemProps) {
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

function Link({ children }: { children: ReactElement }) {
  const follow = use(FollowLink);
  return (
    <Radix.Item asChild className={row} onSelect={follow}>
      {children}
    </Radix.Item>
  );
}

function Separator() {
  return <Radix.Separator className="mx-1 my-1.5 h-px bg-line" />;
}

function Choice<Value extends string>({ label, value, options, onChange }: MenuChoiceProps<Value>) {
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

function Checks<Value extends string>({ label, options, onChange }: MenuChecksProps<Value>) {
  return (
    <Radix.Group>
      <Radix.Label className="px-3 pt-1.5 pb-1 text-xs font-semibold text-muted">
        {label}
      </Radix.Label>
      {options.map((option) => (
        <Radix.CheckboxItem
          key={option.value}
          checked={option.checked}
          onCheckedChange={(checked) => onChange(option.value, checked)}
          onSelect={(event) => event.preventDefault()}
          className={row}
        >
          <span className="grid size-4 place-items-center rounded-[4px] border border-control-line">
            <Radix.ItemIndicator>
              <Check aria-hidden strokeWidth={3} className="size-3.5 text-accent" />
            </Radix.ItemIndicator>
          </span>
          {option.label}
        </Radix.CheckboxItem>
      ))}
    </Radix.Group>
  );
}
