export interface Toast {
  id: number;
  tone: "success" | "failure";
  title: string;
  description?: string | undefined;
}

// One toast at a time: a newer one takes the place of the one on screen.
let current: Toast | null = null;
let nextId = 1;
const listeners = new Set<() => void>();

function set(next: Toast | null): void {
  current = next;
  for (const listener of listeners) listener();
}

/** Never the only place where an error can be read: pages and forms show it too. */
export const toast = {
  success(title: string, description?: string): void {
    set({ id: nextId++, tone: "success", title, description });
  },
  failure(title: string, description?: string): void {
    set({ id: nextId++, tone: "failure", title, description });
  },
  dismiss(): void {
    set(null);
  },
};

export function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

export function currentToast(): Toast | null {
  return current;
}
