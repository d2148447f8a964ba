/** A message to one person. */
export interface Message {
  readonly to: string;
  readonly subject: string;
  /** Plain text. */
  readonly text: string;
}

/** Sends mail. */
export interface Mail {
  /** Hands a message to the mail server. @throws the error that prevented it */
  send(message: Message): Promise<void>;
}
