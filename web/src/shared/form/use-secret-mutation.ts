import { useMutation } from "@tanstack/react-query";
import { useRef } from "react";

interface SecretMutation<Input, Data> {
  mutationFn: (input: Input) => Promise<Data>;
  onSuccess?: (data: Data, input: Input) => unknown;
  onError?: (error: Error, input: Input) => unknown;
}

/**
 * A mutation whose input, such as a password, never enters the mutation cache: it is held here
 * during the call and then dropped. It runs once at a time.
 */
export function useSecretMutation<Input, Data>(mutation: SecretMutation<Input, Data>) {
  const held = useRef<{ input: Input } | null>(null);
  const given = () => {
    if (held.current === null) throw new Error("nothing was given to this mutation");
    return held.current.input;
  };
  const { mutate, ...rest } = useMutation({
    mutationFn: () => mutation.mutationFn(given()),
    onSuccess: (data) => mutation.onSuccess?.(data, given()),
    onError: (error) => mutation.onError?.(error, given()),
    onSettled: () => {
      held.current = null;
    },
  });
  return {
    ...rest,
    mutate: (input: Input) => {
      if (held.current) return;
      held.current = { input };
      mutate();
    },
  };
}
