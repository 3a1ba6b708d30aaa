import {
  use,
  useRef,
  type ComponentProps,
  type FocusEvent,
  type MouseEvent,
  type PointerEvent,
} from "react";
import { NavigationContext } from "../navigation";

const prepareMs = 50;

/** A link to a page of this site that works with and without the application's router. */
export function PageLink({
  to,
  children,
  onClick,
  onFocus,
  onBlur,
  onPointerEnter,
  onPointerLeave,
  ...rest
}: Omit<ComponentProps<"a">, "href"> & { to: string }) {
  const navigation = use(NavigationContext);
  const follow = (event: MouseEvent<HTMLAnchorElement>) => {
    onClick?.(event);
    const elsewhere = event.metaKey || event.ctrlKey || event.shiftKey || event.altKey;
    if (!navigation || elsewhere || event.button !== 0) return;
    event.preventDefault();
    void navigation.go(to);
  };
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  // A pointer that crosses the link does not load its page.
  const prepare = () => {
    timer.current = setTimeout(() => navigation?.prepare(to), prepareMs);
  };
  const cancel = () => clearTimeout(timer.current);
  return (
    <a
      aria-current={navigation?.path === to ? "page" : undefined}
      {...rest}
      href={to}
      onClick={follow}
      onFocus={(event: FocusEvent<HTMLAnchorElement>) => {
        onFocus?.(event);
        prepare();
      }}
      onPointerEnter={(event: PointerEvent<HTMLAnchorElement>) => {
        onPointerEnter?.(event);
        prepare();
      }}
      onBlur={(event: FocusEvent<HTMLAnchorElement>) => {
        onBlur?.(event);
        cancel();
      }}
      onPointerLeave={(event: PointerEvent<HTMLAnchorElement>) => {
        onPointerLeave?.(event);
        cancel();
      }}
    >
      {children}
    </a>
  );
}
