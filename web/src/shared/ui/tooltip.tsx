import {
  useEffect,
  useEffectEvent,
  useLayoutEffect,
  useRef,
  useState,
  type FocusEvent,
  type PointerEvent,
  type ReactNode,
} from "react";
import { createPortal } from "react-dom";

/** Before the first tooltip. */
const delayMs = 700;
/** After one has closed, the next opens without delay. */
const skipDelayMs = 300;
/** For moving from the trigger to the tooltip. */
const closeDelayMs = 100;
const gap = 6;
const margin = 12;

let closedAt = -Infinity;
/** Closes the open tooltip; one at a time. */
let closeOpen: (() => void) | null = null;

/**
 * A tooltip for text that is also available otherwise, because touch screens never show it. Spread
 * `trigger` on the element and render `tooltip` beside it. Undefined: no tooltip.
 */
export function useTooltip(text: string | undefined) {
  const [anchor, setAnchor] = useState<HTMLElement | null>(null);
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  const pressed = useRef(false);

  const later = (ms: number, work: () => void) => {
    clearTimeout(timer.current);
    timer.current = setTimeout(work, ms);
  };
  const close = () => {
    clearTimeout(timer.current);
    setAnchor(null);
  };
  const open = (next: HTMLElement) => {
    clearTimeout(timer.current);
    setAnchor(next);
  };
  useEffect(() => () => clearTimeout(timer.current), [timer]);
  const trigger = {
    onPointerEnter: ({ pointerType, currentTarget }: PointerEvent<HTMLElement>) => {
      if (pointerType === "touch") return;
      const isWarm = closeOpen !== null || Date.now() - closedAt < skipDelayMs;
      if (isWarm) open(currentTarget);
      else later(delayMs, () => open(currentTarget));
    },
    onPointerLeave: () => {
      pressed.current = false;
      later(closeDelayMs, close);
    },
    onPointerDown: () => {
      pressed.current = true;
      close();
    },
    onPointerUp: () => {
      pressed.current = false;
    },
    onFocus: ({ currentTarget }: FocusEvent<HTMLElement>) => {
      if (!pressed.current) open(currentTarget);
    },
    onBlur: close,
  };
  const tooltip = anchor && text !== undefined && (
    <Tip
      key={text}
      anchor={anchor}
      onEnter={() => clearTimeout(timer.current)}
      onLeave={trigger.onPointerLeave}
      onClose={close}
    >
      {text}
    </Tip>
  );
  return { trigger, tooltip };
}

function Tip({
  anchor,
  onEnter,
  onLeave,
  onClose,
  children,
}: {
  anchor: HTMLElement;
  onEnter: () => void;
  onLeave: () => void;
  onClose: () => void;
  children: ReactNode;
}) {
  const box = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => {
    const element = box.current;
    if (!element) return;
    const at = anchor.getBoundingClientRect();
    const { width, height } = element.getBoundingClientRect();
    const middle = at.left + at.width / 2 - width / 2;
    const left = Math.max(margin, Math.min(middle, window.innerWidth - margin - width));
    const above = at.top - gap - height;
    element.style.left = `${left}px`;
    element.style.top = `${above < margin ? at.bottom + gap : above}px`;
  }, [anchor]);
  const close = useEffectEvent(onClose);
  useEffect(() => {
    closeOpen?.();
    const closeThis = () => close();
    closeOpen = closeThis;
    return () => {
      closedAt = Date.now();
      if (closeOpen === closeThis) closeOpen = null;
    };
  }, []);
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if (event.key !== "Escape") return;
      // A dialog around it stays open.
      event.stopPropagation();
      close();
    };
    const onMove = () => close();
    window.addEventListener("keydown", onKey, true);
    window.addEventListener("scroll", onMove, true);
    window.addEventListener("resize", onMove);
    return () => {
      window.removeEventListener("keydown", onKey, true);
      window.removeEventListener("scroll", onMove, true);
      window.removeEventListener("resize", onMove);
    };
  }, []);
  return createPortal(
    <div
      ref={box}
      role="tooltip"
      onPointerEnter={onEnter}
      onPointerLeave={onLeave}
      // A dialog would treat it as a press outside.
      onPointerDown={(event) => event.stopPropagation()}
      className="pointer-events-auto fixed z-50 max-w-72 animate-[appear_120ms] rounded-control bg-ink px-2.5 py-1.5 text-sm text-surface shadow-overlay"
    >
      {children}
    </div>,
    document.body,
  );
}
