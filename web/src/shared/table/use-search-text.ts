import { useEffect, useRef, useState } from "react";

const debounceMs = 250;

/**
 * The debounced text of a search field. A search that changes elsewhere (a link, Clear filters)
 * replaces the text.
 */
export function useSearchText(
  search: string | undefined,
  onSearch: (search: string | undefined) => void,
): [string, (text: string) => void] {
  const current = search ?? "";
  const [state, setState] = useState({ text: current, seen: current, sent: current });
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  // A page that was left must not be searched.
  useEffect(() => () => clearTimeout(timer.current), []);
  if (current !== state.seen) {
    const isOwn = current === state.sent;
    setState({ ...state, seen: current, sent: current, text: isOwn ? state.text : current });
  }
  const type = (text: string) => {
    setState((last) => ({ ...last, text }));
    clearTimeout(timer.current);
    timer.current = setTimeout(() => {
      setState((last) => ({ ...last, sent: text }));
      onSearch(text || undefined);
    }, debounceMs);
  };
  return [state.text, type];
}
