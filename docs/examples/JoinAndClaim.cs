// Joins a match of SET with the ordinary Nakama client for .NET (package NakamaClient), claims each Set on the board, and
// prints the result:  JoinAndClaim [host] [port] [options as JSON]
using System;
using System.Collections.Generic;
using System.Linq;
using System.Text;
using System.Threading.Tasks;
using Nakama;
using Nakama.TinyJson;
using Message = System.Collections.Generic.Dictionary<string, object>;

public sealed class JoinAndClaim
{
    private const long Claim = 1, Snapshot = 101, MatchStarted = 102, ClaimResult = 103, ClaimRejected = 104;
    private const long BoardExpanded = 105, MatchEnded = 107;
    private const int RetryMs = 50, FirstPauseMs = 250, LongestPauseMs = 5000, CheckMs = 250;

    private readonly ISocket _socket;
    private readonly ISession _session;
    private readonly Random _random = new Random();
    private readonly Dictionary<string, string> _unanswered = new Dictionary<string, string>(); // claim id -> payload
    private readonly SortedDictionary<int, int> _board = new SortedDictionary<int, int>(); // slot index -> card id
    private readonly TaskCompletionSource<Message> _over = new TaskCompletionSource<Message>();
    private readonly object _lock = new object(); // messages arrive on the socket's thread, claims are sent on a timer's
    private Message _animationMs;
    private string _matchId;
    private int _changes;

    public JoinAndClaim(ISocket socket, ISession session)
    {
        _socket = socket;
        _session = session;
    }

    public static void Main(string[] args)
    {
        Run(args).GetAwaiter().GetResult();
    }

    private static async Task Run(string[] args)
    {
        var host = args.Length > 0 ? args[0] : "127.0.0.1";
        var port = args.Length > 1 ? int.Parse(args[1]) : 7350;
        var options = args.Length > 2 ? args[2] : "{\"mode\": \"SINGLE_PLAYER\"}";
        var client = new Client("http", host, port, "defaultkey");
        var session = await client.AuthenticateDeviceAsync(Guid.NewGuid().ToString());
        var socket = Socket.From(client);
        await socket.ConnectAsync(session);
        var found = (await client.RpcAsync(session, "set_find_match", options)).Payload.FromJson<Message>();
        var ended = await new JoinAndClaim(socket, session).Play((string)found["matchId"]);
        Console.WriteLine($"{ended["reason"]}, record {ended["recordKey"]}");
        await socket.CloseAsync();
    }

    /// <summary>Joins and plays to the end, also after lost connections. Returns the payload of MATCH_ENDED.</summary>
    public async Task<Message> Play(string matchId)
    {
        _matchId = matchId;
        _socket.ReceivedMatchState += OnMatchState; // before the join: the first message may arrive earlier than its response
        await _socket.JoinMatchAsync(matchId);
        while (!_over.Task.IsCompleted)
        {
            if (!_socket.IsConnected) await Reconnect();
            await Task.WhenAny(_over.Task, Task.Delay(CheckMs));
        }
        return await _over.Task;
    }

    // Nakama can restart: join the same match again with the same session. The random pauses keep many clients from connecting at
    // the same moments.
    private async Task Reconnect()
    {
        for (var longest = FirstPauseMs; !await Joined(); longest = Math.Min(2 * longest, LongestPauseMs))
        {
            await Task.Delay(_random.Next(longest));
        }
        List<string> claims;
        lock (_lock) claims = _unanswered.Values.ToList();
        foreach (var claim in claims) await Send(claim); // under their ids, so that each is judged once
    }

    private async Task<bool> Joined()
    {
        try
        {
            await _socket.ConnectAsync(_session);
            await _socket.JoinMatchAsync(_matchId);
            return true;
        }
        catch (Exception error) when (!error.Message.Contains("Match not found"))
        {
            return false;
        }
    }

    // On a lost connection the claim stays in _unanswered until the reconnect.
    private async Task Send(string claim)
    {
        try
        {
            await _socket.SendMatchStateAsync(_matchId, Claim, claim);
        }
        catch (Exception)
        {
            // Reconnect sends it.
        }
    }

    private void OnMatchState(IMatchState state)
    {
        lock (_lock)
        {
            Handle(state.OpCode, Encoding.UTF8.GetString(state.State).FromJson<Message>());
        }
    }

    private void Handle(long opCode, Message message)
    {
        switch (opCode)
        {
            case Snapshot:
            case MatchStarted:
                _animationMs = (Message)((Message)message["options"])["animationMs"];
                _board.Clear(); // after a crash of Nakama, the last changes can be missing
                UpdateBoard(message);
                if (message.ContainsKey("results"))
                {
                    Handle(MatchEnded, (Message)message["results"]);
                    break;
                }
                ClaimAfter(message.ContainsKey("lockedUntilMs") ? (int)message["lockedUntilMs"] - (int)message["nowMs"] : 0);
                break;
            case ClaimResult:
                _unanswered.Remove((string)message["claimId"]);
                UpdateBoard(message); // without slots after an invalid claim
                ClaimAfter((bool)message["valid"] ? Ms("validSet") + Ms("refill") : Ms("invalidSet"));
                break;
            case ClaimRejected:
                _unanswered.Remove((string)message["claimId"]);
                // The claim was slightly too early. After other reasons, a retry has no effect.
                if ((string)message["reason"] == "CLAIM_REASON_LOCKED") ClaimAfter(RetryMs);
                break;
            case BoardExpanded:
                UpdateBoard(message);
                ClaimAfter(Ms("expandBoard"));
                break;
            case MatchEnded:
                _changes++;
                _over.TrySetResult(message);
                break;
        }
    }

    private int Ms(string animation)
    {
        return (int)_animationMs[animation];
    }

    private void UpdateBoard(Message message)
    {
        foreach (Message slot in (List<object>)message["slots"])
        {
            if (slot.ContainsKey("cardId")) _board[(int)slot["index"]] = (int)slot["cardId"];
            else _board.Remove((int)slot["index"]);
        }
    }

    // Sends the next claim after a delay. A later change of the board cancels it, so that only one claim is in flight.
    private async void ClaimAfter(int milliseconds)
    {
        var change = ++_changes;
        await Task.Delay(milliseconds);
        string claim;
        lock (_lock)
        {
            var cards = FindSet();
            if (change != _changes || cards == null) return;
            var claimId = Guid.NewGuid().ToString();
            claim = $"{{\"claimId\": \"{claimId}\", \"cardIds\": [{string.Join(", ", cards)}]}}";
            _unanswered[claimId] = claim;
        }
        await Send(claim);
    }

    private int[] FindSet()
    {
        var cards = _board.Values.ToList();
        var pairs = cards.SelectMany((first, i) => cards.Skip(i + 1).Select(second => new[] { first, second, Third(first, second) }));
        return pairs.FirstOrDefault(three => cards.Contains(three[2]));
    }

    // A card's four attributes are the digits of its id in base 3; in a Set the sum of each digit is 0 modulo 3.
    private static int Third(int first, int second)
    {
        return new[] { 27, 9, 3, 1 }.Sum(place => place * ((6 - first / place % 3 - second / place % 3) % 3));
    }
}
