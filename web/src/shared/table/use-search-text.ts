import { useEffect, useRef, useState } from "react";

const pauseMs = 250;

/**
 * What stands in a search field, handed on after a short pause in typing. A search that changes
 * from elsewhere (a link, Clear filters) replaces what stands there.
 */
export function useSearchText(
  search: string | undefined,
  onSearch: (search: string | undefined) => void,
): [string, (text: string) => void] {
  const current = search ?? "";
  const [state, setState] = useState({ text: current, seen: current, sent: current });
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  // A page that was left meanwhile must not be searched any more.
  useEffect(() => () => clearTimeout(timer.current), []);
  if (current !== state.seen) {
    const ours = current === state.sent;
    setState({ ...state, seen: current, sent: current, text: ours ? state.text : current });
  }
  const type = (text: string) => {
    setState((last) => ({ ...last, text }));
    clearTimeout(timer.current);
    timer.current = setTimeout(() => {
      setState((last) => ({ ...last, sent: text }));
      onSearch(text || undefined);
    }, pauseMs);
  };
  return [state.text, type];
}
