// Joins a match of SET with the ordinary Nakama client for .NET (package NakamaClient), claims every Set that it sees, and
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
    private readonly object _turn = new object(); // messages come on the socket's thread, claims on a timer's
    private Message _animationMs;
    private string _matchId;
    private int _news;

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

    /// <summary>Joins and plays to the end, also after lost connections; returns the MATCH_ENDED or its fields.</summary>
    public async Task<Message> Play(string matchId)
    {
        _matchId = matchId;
        _socket.ReceivedMatchState += Hear; // before joining: the first message may come earlier than the answer
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
        lock (_turn) claims = _unanswered.Values.ToList();
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

    private void Hear(IMatchState state)
    {
        lock (_turn)
        {
            Take(state.OpCode, Encoding.UTF8.GetString(state.State).FromJson<Message>());
        }
    }

    private void Take(long opCode, Message told)
    {
        switch (opCode)
        {
            case Snapshot:
            case MatchStarted:
                _animationMs = (Message)((Message)told["options"])["animationMs"];
                _board.Clear(); // after a crash of Nakama, the last changes can be missing
                Put(told);
                if (told.ContainsKey("results"))
                {
                    Take(MatchEnded, (Message)told["results"]);
                    break;
                }
                ClaimAfter(told.ContainsKey("lockedUntilMs") ? (int)told["lockedUntilMs"] - (int)told["nowMs"] : 0);
                break;
            case ClaimResult:
                _unanswered.Remove((string)told["claimId"]);
                Put(told); // nothing, if it was no Set
                ClaimAfter((bool)told["valid"] ? Ms("validSet") + Ms("refill") : Ms("invalidSet"));
                break;
            case ClaimRejected:
                _unanswered.Remove((string)told["claimId"]);
                // A little too early; after other reasons it would not help.
                if ((string)told["reason"] == "CLAIM_REASON_LOCKED") ClaimAfter(RetryMs);
                break;
            case BoardExpanded:
                Put(told);
                ClaimAfter(Ms("expandBoard"));
                break;
            case MatchEnded:
                _news++;
                _over.TrySetResult(told);
                break;
        }
    }

    private int Ms(string animation)
    {
        return (int)_animationMs[animation];
    }

    private void Put(Message told)
    {
        foreach (Message slot in (List<object>)told["slots"])
        {
            if (slot.ContainsKey("cardId")) _board[(int)slot["index"]] = (int)slot["cardId"];
            else _board.Remove((int)slot["index"]);
        }
    }

    // One claim is on its way at a time; what happens on the board puts it off.
    private async void ClaimAfter(int milliseconds)
    {
        var news = ++_news;
        await Task.Delay(milliseconds);
        string claim;
        lock (_turn)
        {
            var cards = FindSet();
            if (news != _news || cards == null) return;
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

    // A card's four attributes are the digits of its id in base 3; in a Set every digit's sum is 0 modulo 3.
    private static int Third(int first, int second)
    {
        return new[] { 27, 9, 3, 1 }.Sum(place => place * ((6 - first / place % 3 - second / place % 3) % 3));
    }
}
